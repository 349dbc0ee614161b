/** The products from which links can be moved, one row each. */
import { bitly } from "./bitly.ts";
import { csv } from "./csv.ts";
import { dub } from "./dub.ts";
import { kutt } from "./kutt.ts";
import { pingvin } from "./pingvin.ts";
import type { Reader } from "./reader.ts";
import { shlink } from "./shlink.ts";
import { sink } from "./sink.ts";
import { successor } from "./successor.ts";
import { yourls } from "./yourls.ts";

const TABLE = { yourls, kutt, shlink, sink, dub, bitly, pingvin, csv, successor } as const;
export type Product = keyof typeof TABLE;
export const PRODUCTS: Record<Product, Reader> = TABLE;
export const PRODUCT_NAMES = Object.keys(TABLE) as Product[];
