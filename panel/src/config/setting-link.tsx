import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../auth/account.ts";
import { responseOf, api } from "../base/api.ts";
import { sentenceGap } from "../base/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { LINKED_NAMES } from "./linked-names.ts";
import { RestartButton } from "./restart-button.tsx";

type Props = { settingKey: keyof typeof LINKED_NAMES };

/** A setting by its name on the page of settings, or its value, as a link for those who may see that page. */
export function SettingLink({ settingKey, value }: Props & { value?: string }) {
  const { i18n } = useLingui();
  const { data: account } = useQuery(accountQuery);
  const name = value ?? i18n._(LINKED_NAMES[settingKey]);
  if (account?.role !== "admin") return <bdi>{name}</bdi>;
  return (
    <AnchorLink to="/settings" search={{ q: settingKey }} inherit underline="always">
      {name}
    </AnchorLink>
  );
}

/** A sentence while a change of the setting to `value` waits for a restart. Only administrators see it. */
export function SettingWaits({ settingKey: key, value }: Props & { value: string }) {
  const { data: account } = useQuery(accountQuery);
  const { data: setting } = useQuery({
    queryKey: ["settings", "one", key],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/config/{key}", { params: { path: { key } }, signal }))).data,
    enabled: account?.role === "admin",
  });
  if (setting?.pending_value !== value) return null;
  return (
    <>
      {sentenceGap()}
      <Trans>The change of the setting waits for a restart of the server.</Trans> <RestartButton />
    </>
  );
}
