"""The example of clients/python/README.md, and what the package adds to the generated client."""
import sys

from waymark import WaymarkError, connect, data_of, items
from waymark_client import models
from waymark_client.api.links import create_link, get_link, list_links, post_links_batch

url, token, _, name = sys.argv[1:5]
MANY = 120


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} instead of {wanted!r}")


waymark = connect(url + "/", token)
body = models.NewLink(code=f"{name}/start", target="https://example.com/docs")
link = data_of(create_link.sync_detailed(client=waymark, body=body))
expect("short URL", link.short_url, f"{url}/{name}/start")
links = [models.NewLink(target=f"https://example.com/{at}", tags=[name]) for at in range(MANY)]
data_of(post_links_batch.sync_detailed(client=waymark, body=models.PostLinksBatchBody(links=links)))
found = {one.code for one in items(list_links.sync_detailed, waymark, tag=[name], page_size=50)}
expect("links", len(found), MANY)
try:
    data_of(get_link.sync_detailed(f"{name}/absent", client=waymark))
    raise SystemExit("an absent link was found")
except WaymarkError as error:
    expect("refusal", (error.status, error.error), (404, "LinkNotFound"))
misspelt = models.NewLink(target="https://example.com/")
misspelt["tittle"] = "x"
try:
    data_of(create_link.sync_detailed(client=waymark, body=misspelt))
    raise SystemExit("an unknown field was taken")
except WaymarkError as error:
    expect("details", [one["field"] for one in error.details], ["tittle"])
