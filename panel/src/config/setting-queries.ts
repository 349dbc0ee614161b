import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, type operations, type Setting, type SettingDefinition } from "../base/api.ts";
import { loadSettingWords } from "./words/setting-words.ts";

/** A setting with what its definition says. */
export type ShownSetting = { definition: SettingDefinition; setting: Setting };

type Key = operations["putConfigKey"]["parameters"]["path"]["key"];

const MOST_CHANGES = 100;

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  async queryFn({ signal }): Promise<ShownSetting[]> {
    const [schema, values] = await Promise.all([
      responseOf(api.GET("/admin/v1/config/schema", { signal })),
      responseOf(api.GET("/admin/v1/config", { signal })),
      loadSettingWords(),
    ]);
    const settings = new Map(values.data.map((setting) => [setting.key, setting]));
    return schema.data.flatMap((definition) => {
      const setting = settings.get(definition.key);
      return setting === undefined ? [] : [{ definition, setting }];
    });
  },
});

/** Newest first. */
export const settingHistoryQuery = (key: string) =>
  queryOptions({
    queryKey: ["settings", "history", key],
    queryFn: async ({ signal }) => {
      const params = { path: { key: key as Key }, query: { limit: MOST_CHANGES } };
      return (await responseOf(api.GET("/admin/v1/config/{key}/history", { params, signal }))).data;
    },
  });

/** All or none. Values are texts; null is the default. */
export async function writeSettings(values: Record<string, string | null>, isDryRun = false): Promise<void> {
  await responseOf(api.PATCH("/admin/v1/config", { body: { values, dry_run: isDryRun } }));
}

/** A new secret, not stored yet. */
export async function generateSecret(key: string): Promise<string> {
  const params = { path: { key: key as Key } };
  const body = { action: "generate_token" as const };
  return (await responseOf(api.POST("/admin/v1/config/{key}/action", { params, body }))).data.value;
}

/** The text in force after the next start; empty for a secret. */
export const storedText = ({ setting }: ShownSetting): string =>
  setting.is_sensitive ? "" : (setting.pending_value ?? setting.value);
