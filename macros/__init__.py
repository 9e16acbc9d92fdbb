"""GB10 Ledger: what a model reads for every token, and what that allows."""


def define_env(env):
    """Give the pages of prose their macros; MkDocs is loaded only when it asks."""
    from macros import site

    site.define_env(env)
