import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { markOutdated } from "../base/connection.ts";
import { loaded } from "../base/lazy.ts";
import classes from "./clicks.module.css";
import type { CompareField } from "./compare-field.tsx";
import type { LinkChoice } from "./range.ts";

/**
 * A field for links to compare with. Most reports compare none, so its list loads at first use; text typed before is
 * handed on.
 */
export function CompareLinks(props: LinkChoice) {
  const { t } = useLingui();
  /** Null before the first use. */
  const [typed, setTyped] = useState<string | null>(null);
  const [Field, setField] = useState<typeof CompareField>();
  const isNeeded = typed !== null || (props.search.with ?? []).length > 0;
  useEffect(() => {
    if (isNeeded)
      loaded(() => import("./compare-field.tsx")).then(
        (part) => setField(() => part.CompareField),
        markOutdated,
      );
  }, [isNeeded]);
  if (Field !== undefined) return <Field {...props} typed={typed} />;
  return (
    <TextInput
      size="sm"
      className={classes["compare"]!}
      aria-label={t`Compare with links`}
      placeholder={t`Compare with a link`}
      value={typed ?? ""}
      maxLength={128}
      onFocus={() => setTyped((before) => before ?? "")}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
    />
  );
}
