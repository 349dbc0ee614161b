import type { Registry } from "../../lib/metrics.ts";

export function registerHeldNames(registry: Registry, bytes: () => number): void {
  const help = "Memory of the names of files and folders that searches keep.";
  registry.observe("gauge", { name: "svc_file_names_bytes", help }, () => [[[], bytes()]]);
}
