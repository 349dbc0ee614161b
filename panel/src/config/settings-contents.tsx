import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { GROUPS, type SettingGroup } from "./setting-search.ts";
import { useGroupNames } from "./words/groups.ts";
import classes from "./settings.module.css";

/** Beside the settings, or above them. */
export function SettingsContents({ group: shown }: { group: SettingGroup | null }) {
  const { t } = useLingui();
  const names = useGroupNames();
  return (
    <nav className={classes["index"]} aria-label={t`Groups of settings`}>
      {GROUPS.map((group) => (
        <Link
          key={group}
          to="/settings"
          search={{ group }}
          data-active={group === shown || undefined}
          aria-current={group === shown ? "page" : undefined}
        >
          {names[group]}
        </Link>
      ))}
    </nav>
  );
}
