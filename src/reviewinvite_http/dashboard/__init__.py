"""The merchant's dashboard: pages rendered by the server, whose every action is a form. Spec: §10, ADR-56.

To add a section `NAME` (`activity/` is a small one to look at):

1. Write `NAME/handlers.py` with the handlers, whose paths are relative to `/dashboard`, and list them in `HANDLERS`:

       @route("/{site_id:str}/NAME", http_method=READ, opt=needs(permissions.SEE_NAME))
       async def name_page(server: NamedDependency[ServerContext], visit: NamedDependency[Visit],
                           acting: NamedDependency[Actor]) -> Response[Any]:
           return dashboard_page(visit, "NAME", shown=accepted(await server.app.shops.show(acting)))

   `domain/permissions.py` says who may do it.
   `acting` admits the member, or leads away; each handler of a shop declares it, even if it needs only `visit`.
   `accepted` turns a refusal into its page (`problems.py`). A handler of POST takes `form: NamedDependency[Form]`,
   which `form_guard.py` has admitted, and ends with `see_other(visit, f"{visit.shop_root}/NAME?done=WHAT")`; if a
   field is wrong, with the same page, status 422 and what was typed.
   `needs(..., typed={"text": gettext_noop("Your reply")})` names the fields that the page of a failure shows again.
   `version_of(...)` tells the second of two members who change the same thing.
   `export` exports a list. `visit.is_partial` is true for a request by htmx.
2. Write `NAME/page.html`, which extends `shell.html` (docs/how-to/build-a-page.md) and has `{{ dash.token() }}` from
   `macros.html` in each form. `NAME/style.css` and `NAME/script.js`, if any, become part of what all pages load.
3. Add its `HANDLERS` to `SECTIONS` in `routing.py`, and the page to `tests/texts/dashboard.py` and to
   `tests/http/dashboard_routes.py`: a test fails there until it is known who may open it.
"""
