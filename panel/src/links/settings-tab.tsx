import type { ComponentProps } from "react";
import { RulesRow } from "./rules/rules-row.tsx";
import { LinkSettings } from "./settings/link-settings.tsx";

/** The settings of a link with its rules, which few links have. */
export const SettingsTab = (props: Omit<ComponentProps<typeof LinkSettings>, "children">) => (
  <LinkSettings {...props}>
    <RulesRow link={props.link} onSaved={props.onSaved} />
  </LinkSettings>
);
