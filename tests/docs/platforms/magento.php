<?php
/**
 * Stand-ins for the classes of Magento that an example uses, and a shop that runs it.
 *
 * The first argument is the example. The second is a JSON list: of each order that is saved, its number, its state
 * before and after, and the amount that is due.
 */

namespace Psr\Log {
    interface LoggerInterface
    {
        public function error(string $message): void;
    }
}

namespace Magento\Framework\Event {
    interface ObserverInterface
    {
    }

    class Observer
    {
        public function __construct(private object $order)
        {
        }

        public function getEvent(): self
        {
            return $this;
        }

        public function getData(string $name): object
        {
            return $this->$name;
        }
    }
}

namespace Magento\Framework\HTTP\Client {
    class Curl
    {
        private array $lines = [];
        private int $seconds = 300;
        private int $status = 0;

        public function setTimeout(int $seconds): void
        {
            $this->seconds = $seconds;
        }

        public function addHeader(string $name, string $value): void
        {
            $this->lines[] = "$name: $value";
        }

        public function post(string $url, string $body): void
        {
            $call = curl_init($url);
            curl_setopt_array($call, [
                CURLOPT_POSTFIELDS => $body,
                CURLOPT_HTTPHEADER => $this->lines,
                CURLOPT_RETURNTRANSFER => true,
                CURLOPT_TIMEOUT => $this->seconds,
            ]);
            if (curl_exec($call) === false) {
                throw new \Exception(curl_error($call));
            }
            $this->status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
        }

        public function getStatus(): int
        {
            return $this->status;
        }
    }

    class CurlFactory
    {
        public function create(): Curl
        {
            return new Curl();
        }
    }
}

namespace Magento\Sales\Model {
    class Order
    {
        public const STATE_COMPLETE = 'complete';

        public function __construct(
            private string $number,
            private string $before,
            private string $after,
            private float $due
        ) {
        }

        public function getState(): string
        {
            return $this->after;
        }

        public function dataHasChangedFor(string $field): bool
        {
            return $field === 'state' && $this->before !== $this->after;
        }

        public function getTotalDue(): float
        {
            return $this->due;
        }

        public function getIncrementId(): string
        {
            return $this->number;
        }

        public function getCustomerEmail(): string
        {
            return "customer$this->number@example.com";
        }
    }
}

namespace {
    require $argv[1];

    $log = new class () implements \Psr\Log\LoggerInterface {
        public function error(string $message): void
        {
            echo $message, PHP_EOL;
        }
    };
    $observer = new \Shop\Reviews\Observer\ReportCompleted(new \Magento\Framework\HTTP\Client\CurlFactory(), $log);
    foreach (json_decode($argv[2], true) as $saved) {
        $observer->execute(new \Magento\Framework\Event\Observer(new \Magento\Sales\Model\Order(...$saved)));
    }
}
