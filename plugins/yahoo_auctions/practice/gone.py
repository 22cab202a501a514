"""The three forms in which a listing that was taken away is gone: no such page, sent away, a page that says so."""

from monitor_site.contract.practice import HTML, Reply, html_reply

_SENTENCE = "<p>指定されたURLのページは存在しません。</p>"
_LINKS = "".join(f'<li><a href="/category/list/{20000 + at}/">カテゴリ{at}</a></li>' for at in range(50))
_FRAME = (
    '<!DOCTYPE html><html lang="ja"><head><title>Yahoo!オークション 練習場</title></head><body><header><nav>'
    f"<ul>{_LINKS}<li>メンテナンスのお知らせ</li></ul></nav></header><main>{{main}}</main></body></html>"
)
GONE = html_reply(f"<!DOCTYPE html><html><body>{_SENTENCE}</body></html>", 404)
FRONT = html_reply(_FRAME.format(main="<h1>練習場の入口</h1>"))
FORMS = {
    "404": GONE,
    "redirect": Reply(302, b"", HTML, {"location": "/"}),
    "page": html_reply(_FRAME.format(main=_SENTENCE)),
}
