/**
 * Reads a JSON object with one long list, such as `{"links": […]}`, item by item as the bytes arrive. JSON.parse takes
 * 5 ms for 16 MiB of 5,000 links, but 400 ms for 16 MiB of `{},`, while no redirect is served.
 */
import { type AppError, appError } from "../../lib/errors.ts";
import { createJsonScan } from "../../lib/json-scan.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { type BodySource, bodyBytes, createDecoder, parseJson } from "./read-body.ts";

const LIST_LIMIT = 16 * 1024 * 1024;
/** Room for the longest target, fully escaped, and a password. */
const MOST_ITEM_BYTES = 64 * 1024;
/** The rules of a link have at most 15,000 characters, four a value. */
const MOST_ITEM_PARTS = 4_000;
const MOST_BYTES_BESIDE = 64 * 1024;

/** Bytes between two looks at the clock. */
const STEP_BYTES = 16 * 1024;
const SLICE_MS = 4;

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const QUOTE = 0x22;

export type ListOptions = {
  /** In ASCII. */
  field: string;
  /** The most items. */
  most: number;
};

/** An oversized item becomes its error. @throws BatchSizeTooLarge, and like readJson */
export async function readJsonList(source: BodySource, options: ListOptions): Promise<unknown> {
  const list = createListParser(options);
  const slices = createTimeSlices(SLICE_MS);
  for await (const chunk of bodyBytes(source, LIST_LIMIT)) {
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      list.push(chunk.subarray(at, at + STEP_BYTES));
      if (slices.due()) await slices.rest();
    }
  }
  return list.end();
}

function createListParser({ field, most }: ListOptions) {
  const beside = createBytes(MOST_BYTES_BESIDE);
  const item = createBytes(MOST_ITEM_BYTES);
  const scan = createJsonScan({ onMark });
  let items: unknown[] | null = null;
  let isInside = false;
  /** The bytes of this push, and the start of the current item or of those beside it. */
  let bytes: Uint8Array = new Uint8Array();
  let from = 0;
  /** The last string at the object's own level, in `beside`. */
  const name = { start: 0, end: 0, isOpen: false };

  function takeUpTo(end: number): void {
    const piece = bytes.subarray(from, end);
    from = end;
    if (isInside) item.add(piece);
    else if (!beside.add(piece)) {
      throw appError("BadRequest", `The body has more than 64 KiB besides its list '${field}'.`);
    }
  }

  function onMark(byte: number, at: number, level: number): void {
    if (isInside) {
      if (byte === COMMA && level === 2) {
        takeUpTo(at);
        from = at + 1;
        endItem();
      } else if (level === 1) {
        takeUpTo(at);
        if (items!.length > 0 || !item.isBlank()) endItem();
        isInside = false;
      }
    } else if (byte === QUOTE && level === 1) {
      const place = beside.length() + at - from;
      if (name.isOpen) name.end = place + 1;
      else name.start = place;
      name.isOpen = !name.isOpen;
    } else if (byte === OPEN_LIST && level === 2) {
      takeUpTo(at + 1);
      isInside = isNamed();
      if (isInside) items = [];
      scan.takeParts();
    }
  }

  /**
   * Whether `"field" :` is before the bracket at the end of `beside`. Each name is read once, and decoded only if it has
   * escapes: 64 KiB of `[],` held the event loop for 250 ms.
   */
  function isNamed(): boolean {
    const { start, end } = name;
    name.end = 0;
    if (end === 0 || !/^\s*:\s*\[$/.test(beside.latin1(end))) return false;
    const text = beside.latin1(start, end);
    return text === `"${field}"` || (text.includes("\\") && parseJson(beside.text(start, end)) === field);
  }

  function endItem(): void {
    if (items!.length >= most) {
      throw appError("BatchSizeTooLarge", `A batch can have at most ${most} items; send several batches.`);
    }
    const isTooLarge = scan.takeParts() > MOST_ITEM_PARTS || item.isOver();
    items!.push(isTooLarge ? itemTooLarge() : parseJson(item.text() || " "));
    item.clear();
  }

  return {
    push(next: Uint8Array): void {
      bytes = next;
      from = 0;
      scan.push(next);
      takeUpTo(next.length);
    },
    end(): unknown {
      const value = parseJson(beside.text());
      // The last of repeated names counts, as in JSON.parse.
      const isList = typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, field));
      return isList && items !== null ? { ...value, [field]: items } : value;
    },
  };
}

const itemTooLarge = (): AppError =>
  appError(
    "BadRequest",
    `An item can have at most ${MOST_ITEM_BYTES / 1024} KiB and ${MOST_ITEM_PARTS} values.`,
  );

/** Drops bytes beyond a bound. */
function createBytes(most: number) {
  const buffer = Buffer.allocUnsafe(most);
  let length = 0;
  let isOver = false;
  return {
    add(piece: Uint8Array): boolean {
      isOver ||= length + piece.length > most;
      if (isOver) return false;
      buffer.set(piece, length);
      length += piece.length;
      return true;
    },
    length: () => length,
    isOver: () => isOver,
    isBlank: () => !isOver && buffer.subarray(0, length).every((byte) => byte <= 0x20),
    latin1: (start: number, end = length) => buffer.toString("latin1", start, end),
    text: (start = 0, end = length) => createDecoder().decode(buffer.subarray(start, end)),
    clear(): void {
      length = 0;
      isOver = false;
    },
  };
}
