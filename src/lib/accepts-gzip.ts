/** Whether the client takes responses in gzip. `gzip;q=0` refuses it. @param accepted its Accept-Encoding */
export const acceptsGzip = (accepted: string | null | undefined): boolean =>
  (accepted ?? "").split(",").some((coding) => {
    const [name, quality = ""] = coding.split(";");
    return name!.trim().toLowerCase() === "gzip" && !/^\s*q=0(?:\.0*)?\s*$/i.test(quality);
  });
