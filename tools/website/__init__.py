"""The documentation as a site: `python -m tools.website FOLDER` assembles the pages, runs Sphinx and checks the result.

Nothing that is generated lands beside the pages: `assemble` copies them into a folder of their own, and adds the API
reference (`api`), the HTTP reference (`http_reference`) and the features with their last results (`living`).
"""
