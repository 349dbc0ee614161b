"""The story of story.ts, told with the client that openapi-python-client generates from the document."""
import io
import sys
from uuid import uuid4

from waymark_client import AuthenticatedClient, Client
from waymark_client.api.analytics import get_analytics_trends, get_link_analytics
from waymark_client.api.auth import get_auth_me, post_auth_login
from waymark_client.api.files import create_file_share, create_files_upload, get_file_download
from waymark_client.api.folders import create_folder
from waymark_client.api.links import create_link, get_link, list_links, patch_link, post_links_batch
from waymark_client.api.shares import delete_share
from waymark_client import models
from waymark_client.types import File

url, token, password, name = sys.argv[1:5]
MANY = 120


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} instead of {wanted!r}")


client = AuthenticatedClient(base_url=url, token=token, headers={"Prefer": "handling=strict"})
expect("account", get_auth_me.sync(client=client).data.username, "admin")
login = post_auth_login.sync_detailed(client=Client(base_url=url), body=models.Login(password=password))
expect("login", [login.status_code, login.parsed.data.role], [200, models.Role("admin")])

# Links: one, the same request again, many, pages.
body = models.NewLink(code=f"{name}/first", target="https://example.com/", title="First")
key = str(uuid4())
link = create_link.sync(client=client, body=body, idempotency_key=key).data
again = create_link.sync_detailed(client=client, body=body, idempotency_key=key)
expect("replayed", [again.headers["Idempotent-Replayed"], again.parsed.data.id], ["true", link.id])
links = [models.NewLink(code=f"{name}/{at}", target=f"https://example.com/{at}", tags=[name]) for at in range(MANY)]
expect("failed", post_links_batch.sync(client=client, body=models.PostLinksBatchBody(links=links)).data.failed, [])
found, cursor = set(), ""
while cursor is not None:
    page = list_links.sync(client=client, tag=[name], cursor=cursor, page_size=50)
    found |= {one.code for one in page.data}
    cursor = page.next_cursor
expect("links by cursor", len(found), MANY)
page = list_links.sync(client=client, tag=[name], page=2, page_size=50)
expect("links by page", [page.pagination.page, page.pagination.total, len(page.data)], [2, MANY, 50])

# A change on condition, and refusals with their types.
tag = get_link.sync_detailed(link.code, client=client).headers["ETag"]
changed = patch_link.sync(link.code, client=client, body=models.LinkPatch(title="Second"), if_match=tag)
expect("title", changed.data.title, "Second")
refused = patch_link.sync_detailed(link.code, client=client, body=models.LinkPatch(title="Third"), if_match=tag)
expect("condition", [refused.status_code, refused.parsed.error.value], [412, "PreconditionFailed"])
lost = get_link.sync(f"{name}/absent", client=client)
expect("lost", [type(lost), lost.error.value], [models.Failure404, "LinkNotFound"])
misspelt = models.NewLink(code=f"{name}/other", target="https://example.com/")
misspelt["tittle"] = "x"
strict = create_link.sync(client=client, body=misspelt)
expect("strict", [(one.field, one.message) for one in strict.details], [("tittle", "tittle is unknown.")])

# Numbers.
trend = get_analytics_trends.sync(
    client=client, start_date="2026-01-01", end_date="2026-12-31", group_by=models.TimeUnit.MONTH
)
expect("months", [len(trend.data.labels), len(trend.data.values)], [12, 12])
expect("clicks", get_link_analytics.sync(link.code, client=client).data.total_clicks, 0)

# A file in a folder, its bytes, and a share.
folder = create_folder.sync(client=client, body=models.NewFolder(name=name)).data
payload = File(payload=io.BytesIO(b"hello"), file_name="hello.txt", mime_type="text/plain")
upload = create_files_upload.sync(client=client, body=models.CreateFilesUploadBody(file=payload), folder_id=folder.id)
expect("file", [upload.data.name, upload.data.size, upload.data.folder_id], ["hello.txt", 5, folder.id])
expect("bytes", get_file_download.sync_detailed(upload.data.id, client=client).content, b"hello")
share = create_file_share.sync(upload.data.id, client=client, body=models.NewShare(expires_at="1d")).data
expect("ended", delete_share.sync_detailed(share.code, client=client).status_code, 200)
print("told")
