/** Whether the client takes responses in gzip, by its Accept-Encoding. `gzip;q=0` refuses it. */
export const acceptsGzip = ({ headers }: Request): boolean =>
  (headers.get("accept-encoding") ?? "").split(",").some((coding) => {
    const [name, quality = ""] = coding.split(";");
    return name!.trim().toLowerCase() === "gzip" && !/^\s*q=0(?:\.0*)?\s*$/i.test(quality);
  });
