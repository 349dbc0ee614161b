import type { Reading, Registry } from "../../lib/metrics.ts";
import type { TextSizes } from "./blocks.ts";

export function registerLinkTexts(registry: Registry, sizes: () => TextSizes): void {
  registry.observe(
    "gauge",
    {
      name: "svc_link_texts_bytes",
      help: "Texts of links that searches read outside the database: the file, and the memory of its thread.",
      labels: ["type"],
    },
    (): Reading[] => {
      const { file, memory } = sizes();
      return [
        [["file"], file],
        [["memory"], memory],
      ];
    },
  );
}
