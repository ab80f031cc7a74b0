"""Refusals of the emulated API, in the shape of its errors."""

from typing import Any

Detail = str | list[str] | dict[str, list[str]]
TITLES = {400: "Bad request", 401: "Not authenticated", 403: "Forbidden", 404: "Not found", 405: "Method not allowed"}
TITLES |= {
    415: "Unsupported media type",
    429: "Too many requests",
    500: "Internal server error",
    503: "Service unavailable",
}


class Problem(Exception):
    """A refusal with an HTTP status and the error's detail."""

    def __init__(self, status: int, detail: Detail, *, code: int = 140_000) -> None:
        super().__init__(str(detail))
        self.status, self.detail, self.code = status, detail, code

    def as_json(self) -> dict[str, Any]:
        title = TITLES.get(self.status, "Error")
        return {
            "error": {"status": self.status, "error_code": self.code, "title": title, "detail": self.detail,
                      "additional_information": "", "traceback": "", "interactive": False}
        }  # fmt: skip


def unknown(what: str, name: str) -> Problem:
    return Problem(404, f"No {what} was found with id {name}.", code=140_404)
