"""Browsers by the User-Agent that they send."""

# In this order: most browsers also name those that they descend from.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrom": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def browser_name(agent: str) -> str:
    """A browser and its system as people know them, such as "Firefox, Linux"; empty if neither is recognised."""
    named = (next((name for sign, name in names.items() if sign in agent), "") for names in (BROWSERS, SYSTEMS))
    return ", ".join(filter(None, named))
