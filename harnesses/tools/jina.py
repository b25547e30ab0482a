"""Page text through Jina Reader (https://jina.ai/reader): `GET /<address>` with a bearer key."""

from harnesses.endpoint.errors import EndpointUnavailableError
from harnesses.tools.addresses import checked_page_address
from harnesses.tools.keyed_service import KeyedService
from harnesses.tools.pages import PageUnreadableError

JINA_BASE_URL = "https://r.jina.ai"
JINA_VARIABLE = "JINA_API_KEY"

N_PAGE_RETRIES_AT_MOST = 2
"""The reader answers 5xx for pages that are themselves broken, so many retries only wait for nothing."""

_HEAD, _BODY = "Title:", "Markdown Content:"
"""What the reader's text begins with, and what it puts before that of the page."""


class JinaReader:
    """The text of a page as Jina Reader sees it.

    Args:
        service: The reader.
        allow_private: Whether hosts of private networks may be asked for.
    """

    def __init__(self, service: KeyedService, *, allow_private: bool) -> None:
        self._service = service
        self._allow_private = allow_private

    async def read(self, address: str) -> str:
        """The text of the page, never blank.

        Raises:
            BadArgumentsError: The address must not be opened.
            PageUnreadableError: The page failed (422, 499, 5xx, a time-out, an empty text).
            ToolRefusedError: A refused key or an empty account.
        """
        checked = checked_page_address(address, allow_private=self._allow_private)
        try:
            reply = await self._service.ask("GET", f"/{checked}", asked=checked)
        except EndpointUnavailableError as error:
            status = f"HTTP {error.status}" if error.status else "no answer"
            raise PageUnreadableError(f"{checked} could not be opened ({status})") from error
        if reply.status >= 300:
            raise PageUnreadableError(f"{checked} could not be opened (HTTP {reply.status})")
        if not _holds_text(reply.text):
            raise PageUnreadableError(f"{checked} holds no text")
        return reply.text


def _holds_text(text: str) -> bool:
    """Whether there is more than the reader's own words about a page that gave nothing."""
    head, _, body = text.partition(_BODY)
    return bool(body.strip() if head.lstrip().startswith(_HEAD) and _BODY in text else text.strip())
