import { responseOf, api } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { filterOf, type LinkSearch } from "../link-search.ts";
import { saveAddress } from "./save-blob.ts";

/** All columns of what the filter finds, streamed to disk by the browser. */
export async function exportLinks(search: LinkSearch): Promise<void> {
  // Renews an idle session first: a download can't do that.
  await responseOf(api.GET("/admin/v1/auth/me"));
  const query = new URLSearchParams({ columns: "all", bom: "true" });
  for (const [name, value] of Object.entries(filterOf(search))) {
    for (const one of [value].flat()) query.append(name, String(one));
  }
  saveAddress(`${SERVER_URL}${ADMIN_PREFIX}/v1/links/export?${query}`);
}
