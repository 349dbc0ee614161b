import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { answerOf, api, type operations, type Setting, type SettingDefinition } from "../app/api.ts";

/** A setting with what its definition says. */
export type ShownSetting = { definition: SettingDefinition; setting: Setting };

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  async queryFn({ signal }): Promise<ShownSetting[]> {
    const [schema, values] = await Promise.all([
      answerOf(api.GET("/admin/v1/config/schema", { signal })),
      answerOf(api.GET("/admin/v1/config", { signal })),
    ]);
    const settings = new Map(values.data.map((setting) => [setting.key, setting]));
    return schema.data.flatMap((definition) => {
      const setting = settings.get(definition.key);
      return setting === undefined ? [] : [{ definition, setting }];
    });
  },
});

type Key = operations["putConfigKey"]["parameters"]["path"]["key"];

/** Values travel as text. Returns what the server says of the change. */
export async function saveSetting(queries: QueryClient, key: string, value: string): Promise<string | null> {
  const params = { path: { key: key as Key } };
  const { data } = await answerOf(api.PUT("/admin/v1/config/{key}", { params, body: { value } }));
  await queries.invalidateQueries({ queryKey: ["settings"] });
  return data.message;
}
