import {
  IconFile,
  IconFileCode,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconFolderFilled,
  IconMusic,
  IconPhoto,
  IconPresentation,
  IconVideo,
} from "@tabler/icons-react";
import type { Entry } from "./file-queries.ts";

const BY_TYPE: readonly [RegExp, typeof IconFile][] = [
  [/^image\//, IconPhoto],
  [/^video\//, IconVideo],
  [/^audio\//, IconMusic],
  [/^application\/pdf$/, IconFileTypePdf],
  [/^text\/csv$|spreadsheet|ms-excel|numbers/, IconFileSpreadsheet],
  [/presentation|powerpoint|keynote/, IconPresentation],
  [/zip|x-tar|gzip|bzip2|x-xz|zstd|x-7z|rar|compressed/, IconFileZip],
  [/html|javascript|typescript|json|xml|yaml|toml|sql|^text\/(?:css|x-)/, IconFileCode],
  [/^text\/|wordprocessing|msword|opendocument\.text|rtf$|epub/, IconFileText],
];

/** For the icon only: the uploader chose the type. */
export function KindIcon({ entry, size = 18 }: { entry: Pick<Entry, "kind" | "mime_type">; size?: number }) {
  const style = { flexShrink: 0 };
  if (entry.kind === "folder") {
    return (
      <IconFolderFilled size={size} aria-hidden style={{ ...style, color: "var(--mantine-color-brand-5)" }} />
    );
  }
  const Icon = BY_TYPE.find(([pattern]) => pattern.test(entry.mime_type ?? ""))?.[1] ?? IconFile;
  return (
    <Icon size={size} stroke={1.5} aria-hidden style={{ ...style, color: "var(--mantine-color-dimmed)" }} />
  );
}
