/** The values of the form, and those that are sent. */
import type {
  Link,
  LinkPatch,
  NewDropBox,
  NewFolderShare,
  NewShare,
  Share,
  ShareUpdate,
} from "../../base/api.ts";
import { wordsIn } from "../../base/targets.ts";
import { toItem } from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";

/** The subject of the form: an item without a code, a share, or a link to a URL. */
export type ShareSubject =
  | { form: "new"; item: SharedItem | null; items?: readonly SharedItem[]; isDrop?: true }
  | { form: "edit"; share: Share }
  | { form: "link"; link: Link };

type SenderRequirement = NonNullable<NewDropBox["require"]>;

/** `upload`: a folder that is made for what is uploaded. */
export type ShareUse = "url" | "file" | "folder" | "drop" | "items" | "upload";

export type ShareValues = {
  use: ShareUse;
  target: string;
  item: SharedItem | null;
  /** Several items. Null: those of the share, unchanged. */
  items: readonly SharedItem[] | null;
  code: string;
  title: string;
  message: string;
  /** Addresses between blanks, commas, semicolons or lines. */
  recipients: string;
  verify: boolean;
  /** Empty: never. A duration or an instant. */
  expires: string;
  isProtected: boolean;
  /** Empty: unchanged. */
  password: string;
  maxDownloads: number | string;
  /** Of a folder: visitors add files. */
  adds: boolean;
  maxFiles: number | string;
  maxBytes: number | null;
  maxFileSize: number | null;
  /** What visitors give before they send files. */
  requires: SenderRequirement;
  senderFolders: boolean;
  /** Extensions and media types between blanks or commas; empty: all. */
  types: string;
};

const BOX = {
  maxFiles: 100,
  maxBytes: 1_000_000_000,
  maxFileSize: null,
  requires: "none",
  senderFolders: false,
  types: "",
} as const;
const BLANK: ShareValues = {
  use: "file",
  target: "",
  item: null,
  items: null,
  code: "",
  title: "",
  message: "",
  recipients: "",
  verify: false,
  expires: "7d",
  isProtected: false,
  password: "",
  maxDownloads: "",
  adds: false,
  ...BOX,
};

export function valuesOfSubject(subject: ShareSubject): ShareValues {
  if (subject.form === "new") {
    const { item, items, isDrop } = subject;
    if (items !== undefined) return { ...BLANK, items, use: "items" };
    return { ...BLANK, item, use: isDrop ? "drop" : (item?.kind ?? "upload") };
  }
  const { title, expires_at: expires, password } = subject.form === "edit" ? subject.share : subject.link;
  const known = { ...BLANK, title: title ?? "", expires: expires ?? "", isProtected: password !== null };
  if (subject.form === "link") return { ...known, use: "url", target: subject.link.target };
  const { kind, entry, max_downloads: most, drop, add: adds, message, recipients, verify } = subject.share;
  return {
    ...known,
    use: kind,
    item: entry && kind !== "items" ? { kind: kind === "file" ? "file" : "folder", ...entry } : null,
    maxDownloads: most ?? "",
    message: message ?? "",
    recipients: recipients.join("\n"),
    verify,
    adds,
    ...(drop && {
      maxFiles: drop.max_files,
      maxBytes: drop.max_bytes,
      maxFileSize: drop.max_file_size,
      requires: drop.require,
      senderFolders: drop.sender_folders,
      types: drop.types.join(", "),
    }),
  };
}

/** What a new share is made of. */
export const chosenItems = ({ item, items }: Pick<ShareValues, "item" | "items">): readonly SharedItem[] =>
  items ?? (item === null ? [] : [item]);

/** Whether the limits have more than a new share has. */
export const holdsLimits = ({ expires, ...rest }: ShareValues): boolean =>
  !["", BLANK.expires].includes(expires) ||
  (["isProtected", "maxDownloads", ...(Object.keys(BOX) as (keyof typeof BOX)[])] as const).some(
    (name) => rest[name] !== BLANK[name],
  );

const limitsOf = ({ maxFiles, maxBytes, maxFileSize, requires, senderFolders, types }: ShareValues) => ({
  max_bytes: maxBytes ?? 0,
  max_files: Number(maxFiles),
  max_file_size: maxFileSize,
  require: requires,
  sender_folders: senderFolders,
  types: wordsIn(types),
});

const limitOf = (most: number | string): number | null => (most === "" ? null : Number(most));

export const typedRecipients = ({ recipients }: ShareValues): string[] => wordsIn(recipients);

export const recipientsIn = (values: ShareValues): string[] => [
  ...new Set(typedRecipients(values).map((email) => email.toLowerCase())),
];

/** What a share says to whom. A share without recipients lets everybody in. */
function saysOf(before: ShareValues, after: ShareValues): ShareUpdate {
  if (after.use === "url") return {};
  const said = (values: ShareValues) => {
    const recipients = recipientsIn(values);
    const canVerify = recipients.length > 0 && values.use !== "drop";
    return { message: values.message || null, recipients, verify: canVerify && values.verify };
  };
  const [was, is] = [said(before), said(after)];
  return {
    ...(was.message !== is.message && { message: is.message }),
    ...(was.recipients.join() !== is.recipients.join() && { recipients: is.recipients }),
    ...(was.verify !== is.verify && { verify: is.verify }),
  };
}

export function newShareOf(values: ShareValues): NewShare {
  const { code, title, expires, isProtected, password, maxDownloads, message, verify } = values;
  const recipients = recipientsIn(values);
  return {
    ...(message !== "" && { message }),
    ...(recipients.length > 0 && { recipients, verify }),
    ...(code.trim() !== "" && { code: code.trim() }),
    ...(title.trim() !== "" && { title: title.trim() }),
    ...(expires !== "" && { expires_at: expires }),
    ...(isProtected && { password }),
    ...(maxDownloads !== "" && { max_downloads: Number(maxDownloads) }),
  };
}

/** Whether visitors see a folder and add to it. */
export const takesFiles = ({ use, adds }: ShareValues): boolean => use === "folder" && adds;

export const newFolderShareOf = (values: ShareValues): NewFolderShare => ({
  ...newShareOf(values),
  ...(takesFiles(values) && { add: true, ...limitsOf(values) }),
});

export function newBoxOf(values: ShareValues): NewDropBox {
  const { max_downloads: _, verify: __, ...common } = newShareOf(values);
  return { ...common, ...limitsOf(values) };
}

const serves = ({ use, target, item, ...rest }: ShareValues): ShareUpdate => {
  if (use === "url") return { target: target.trim() };
  if (use === "items") return rest.items === null ? {} : { items: rest.items.map(toItem) };
  if (item === null) return {};
  if (use === "drop") return { drop: { folder_id: item.id, ...limitsOf({ use, target, item, ...rest }) } };
  return item.kind === "file" ? { file_id: item.id } : { folder_id: item.id };
};

/** The values that differ. `max_downloads` is for shares only. */
export function changeOf(before: ShareValues, after: ShareValues): ShareUpdate {
  const [was, is] = [serves(before), serves(after)];
  const canLimit = after.use !== "url" && after.use !== "drop";
  const isOther = JSON.stringify(was) !== JSON.stringify(is);
  return {
    ...(isOther && is),
    ...addingOf(before, after, isOther),
    ...saysOf(before, after),
    ...(after.title.trim() !== before.title && { title: after.title.trim() || null }),
    ...(after.expires !== before.expires && { expires_at: after.expires || null }),
    ...(before.isProtected && !after.isProtected && { password: null }),
    ...(after.isProtected && after.password !== "" && { password: after.password }),
    ...(canLimit &&
      after.maxDownloads !== before.maxDownloads && { max_downloads: limitOf(after.maxDownloads) }),
  };
}

/** Another folder takes nothing unless it is told to. */
function addingOf(before: ShareValues, after: ShareValues, isOther: boolean): ShareUpdate {
  if (!takesFiles(after)) return takesFiles(before) && !isOther ? { add: false } : {};
  const is = { add: true, ...limitsOf(after) };
  const was = takesFiles(before) && !isOther ? { add: true, ...limitsOf(before) } : null;
  return JSON.stringify(is) === JSON.stringify(was) ? {} : is;
}

export const isOtherUse = ({ target, file_id, folder_id, drop, items }: ShareUpdate): boolean =>
  [target, file_id, folder_id, drop, items].some((use) => use !== undefined);

/** The part for a link, which has no downloads, takes no files and says nothing to visitors. */
export function linkChangeOf(change: ShareUpdate): LinkPatch {
  const {
    max_downloads: _,
    add: __,
    max_bytes: ___,
    max_files: ____,
    max_file_size: _____,
    message: ______,
    recipients: _______,
    verify: ________,
    require: _________,
    sender_folders: __________,
    types: ___________,
    ...rest
  } = change;
  return rest;
}
