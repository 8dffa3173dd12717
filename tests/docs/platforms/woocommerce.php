<?php
/**
 * Stand-ins for the functions of WordPress and WooCommerce that an example uses, and a shop that runs it.
 *
 * The first argument is the example. The second is a JSON object: for each order number, the states that the order goes
 * through before the queue runs. With FAILURES, that many requests get no answer.
 */

$hooks = [];
$queue = [];
$orders = [];
$failures = (int) getenv('FAILURES');

define('REVIEWS_URL', getenv('REVIEWS_URL'));
define('REVIEWS_KEY', getenv('REVIEWS_KEY'));

class WC_Order
{
    private string $status = 'pending';

    public function __construct(private int $id, private string $number)
    {
    }

    public function has_status(string $status): bool
    {
        return $this->status === $status;
    }

    public function get_billing_email(): string
    {
        return "customer$this->number@example.com";
    }

    public function get_order_number(): string
    {
        return $this->number;
    }

    public function update_status(string $status): void
    {
        $this->status = $status;
        do_action("woocommerce_order_status_$status", $this->id, $this);
    }
}

function add_action(string $hook, callable $callback, int $priority = 10, int $arguments = 1): void
{
    $GLOBALS['hooks'][$hook][] = fn (...$given) => $callback(...array_slice($given, 0, $arguments));
}

function do_action(string $hook, ...$given): void
{
    foreach ($GLOBALS['hooks'][$hook] ?? [] as $callback) {
        $callback(...$given);
    }
}

function as_enqueue_async_action(string $hook, array $arguments): void
{
    $GLOBALS['queue'][] = [$hook, $arguments];
}

function as_schedule_single_action(int $when, string $hook, array $arguments): void
{
    echo $when > time() ? 'later' : 'now', PHP_EOL;
    as_enqueue_async_action($hook, $arguments);
}

function wc_get_order(int $id): WC_Order|false
{
    return $GLOBALS['orders'][$id] ?? false;
}

function wp_json_encode(mixed $value): string
{
    return json_encode($value, JSON_THROW_ON_ERROR);
}

function wp_remote_post(string $url, array $options): int
{
    if ($GLOBALS['failures']-- > 0) {
        return 0;
    }
    $call = curl_init($url);
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($options['headers']), $options['headers']);
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => $options['body'],
        CURLOPT_HTTPHEADER => $lines,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 120,
    ]);
    curl_exec($call);
    return curl_getinfo($call, CURLINFO_RESPONSE_CODE);
}

function wp_remote_retrieve_response_code(int $answer): int|string
{
    return $answer ?: '';
}

require $argv[1];
foreach (json_decode($argv[2], true) as $number => $states) {
    $id = count($orders) + 1;
    $orders[$id] = new WC_Order($id, (string) $number);
    array_map($orders[$id]->update_status(...), $states);
}
while ($queue) {
    [$hook, $arguments] = array_shift($queue);
    do_action($hook, ...$arguments);
}
