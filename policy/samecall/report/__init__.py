"""What a replay found, as one page that needs nothing else: ``write_html``. It takes the extra ``report``."""

from .rendering import write_html

__all__ = ["write_html"]
