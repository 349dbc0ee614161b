/** For a day, region and service. */
import { createHmac } from "node:crypto";

export type S3Credentials = { accessKey: string; secretKey: string; region: string };

export function signingKey(time: string, { secretKey, region }: S3Credentials): Buffer {
  const day = hmac(`AWS4${secretKey}`, time.slice(0, 8));
  return hmac(hmac(hmac(day, region), "s3"), "aws4_request");
}

export const scopeOf = (time: string, { region }: S3Credentials): string =>
  `${time.slice(0, 8)}/${region}/s3/aws4_request`;

/** `20130524T000000Z` */
export const timestamp = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");

export const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
