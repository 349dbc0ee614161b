import { SERVER_URL } from "../../base/place.ts";
import type { Entry } from "../file-queries.ts";
import { KindIcon } from "../kind-icon.tsx";
import classes from "./files.module.css";

/** The server's bounds, so that others cost no request. */
const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|bmp)$/;
const MOST_BYTES = 32 * 1024 * 1024;

/** The icon is behind the picture, which goes if the file has none. */
export function Thumbnail({ entry, size }: { entry: Entry; size: number }) {
  const hasPicture = PICTURE.test(entry.mime_type ?? "") && (entry.size ?? 0) <= MOST_BYTES;
  return (
    <span className={classes["thumb"]}>
      <KindIcon entry={entry} size={size} />
      {hasPicture && (
        <img
          key={entry.id}
          src={`${SERVER_URL}/files/${entry.id}/thumbnail`}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      )}
    </span>
  );
}
