"""Addresses: our tasks inside a marketplace's frame."""

from django.urls import URLPattern, path

from annotation.views import framed

FRAME = "frame/<slug:public_id>/"
pages: list[URLPattern] = [
    path(FRAME, framed.frame, name="frame"),
    path(f"{FRAME}preview/<slug:k>/live/<slug:name>/", framed.preview_live, name="frame-preview-live"),
    path(f"{FRAME}consent/", framed.consent, name="frame-consent"),
    path(f"{FRAME}guide/", framed.guide, name="frame-guide"),
    path(f"{FRAME}feedback/<int:pk>/", framed.feedback, name="frame-feedback"),
    path(f"{FRAME}practice/<int:number>/", framed.practice, name="frame-practice"),
    path(f"{FRAME}practice/<int:number>/done/", framed.practice_done, name="frame-practice-done"),
    path(f"{FRAME}practice/<int:number>/live/<slug:name>/", framed.practice_live, name="frame-practice-live"),
    path(f"{FRAME}live/<slug:name>/", framed.live, name="frame-live"),
    path(f"{FRAME}submit/", framed.submit, name="frame-submit"),
    path(f"{FRAME}draft/", framed.draft, name="frame-draft"),
    path(f"{FRAME}extend/", framed.extend, name="frame-extend"),
    path(f"{FRAME}flag/", framed.flag, name="frame-flag"),
    path(f"{FRAME}return/", framed.give_back, name="frame-return"),
]
