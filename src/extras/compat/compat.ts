import type { Config } from "../../platform/config/config.service.ts";
import type { OtherProtocol } from "../../platform/http/app.ts";
import { createCall, type CallDeps } from "./call.ts";
import { type ForeignApi, FOREIGN_PATHS } from "./paths.ts";
import { createShlink } from "./shlink.ts";
import { createYourls, type YourlsDeps } from "./yourls.ts";

type Deps = CallDeps & Omit<YourlsDeps, "call"> & { config: Pick<Config, "get" | "onChange"> };

export function createForeignApis({ config, ...deps }: Deps): OtherProtocol[] {
  const call = createCall(deps);
  const at = (key: ForeignApi, api: Pick<OtherProtocol, "cors" | "respond">): OtherProtocol[] =>
    FOREIGN_PATHS[key].map((prefix) => ({
      ...api,
      prefix,
      methodsAbove: [],
      toggle: {
        isOn: () => config.get(key),
        onChange: (listener) => config.onChange(key, listener),
      },
    }));
  return [
    ...at("features.yourls_api", createYourls({ ...deps, call })),
    ...at("features.shlink_api", createShlink({ ...deps, config, call })),
  ];
}
