import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { anchorOf, useCategoryNames } from "./words/setting-texts.ts";
import classes from "./settings.module.css";

/** Beside the settings where there is room. */
export function SettingsContents({ categories }: { categories: readonly string[] }) {
  const { t } = useLingui();
  const nameOf = useCategoryNames();
  return (
    <nav className={classes["index"]} aria-label={t`Groups of settings`}>
      {categories.map((category) => (
        <Link key={category} to="/settings" search={true} hash={anchorOf(category)} replace>
          {nameOf(category)}
        </Link>
      ))}
    </nav>
  );
}
