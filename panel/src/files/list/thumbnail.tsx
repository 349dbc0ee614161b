import { useEffect, useRef } from "react";
import { SERVER_URL } from "../../base/place.ts";
import type { Entry } from "../file-queries.ts";
import { KindIcon } from "../kind-icon.tsx";
import classes from "./files.module.css";

/** The server's bounds, so that others cost no request. */
const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|bmp|hei[cf]|avif)$/;
const MOST_BYTES = 32 * 1024 * 1024;

/** What is out of sight before then was scrolled past. */
const SEEN_MS = 100;

/** The icon is behind the picture, which goes if the file has none. */
export function Thumbnail({ entry, size }: { entry: Entry; size: number }) {
  const hasPicture = PICTURE.test(entry.mime_type ?? "") && (entry.size ?? 0) <= MOST_BYTES;
  return (
    <span className={classes["thumb"]}>
      <KindIcon entry={entry} size={size} />
      {hasPicture && <Picture key={entry.id} address={`${SERVER_URL}/files/${entry.id}/thumbnail`} />}
    </span>
  );
}

/** Browsers go on loading an image that has left the page, unless it loses its address. */
function Picture({ address }: { address: string }) {
  const ref = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const image = ref.current!;
    const timer = setTimeout(() => (image.src = address), SEEN_MS);
    return () => {
      clearTimeout(timer);
      image.removeAttribute("src");
    };
  }, [address]);
  return (
    <img
      ref={ref}
      alt=""
      decoding="async"
      draggable={false}
      onError={(event) => (event.currentTarget.hidden = true)}
    />
  );
}
