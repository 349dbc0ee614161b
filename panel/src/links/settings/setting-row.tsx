import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Text } from "@mantine/core";
import { Suspense, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { lazyOrFailure, lazyPart } from "../../base/lazy.ts";
import { useFieldTexts } from "../form/field-texts.ts";
import { type LinkSettingName, shownOf } from "../form/link-values.ts";
import { useShownValue } from "../form/shown-value.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { isAddress } from "../target-use.tsx";
import classes from "./settings.module.css";

const AskPasswords = lazyPart(async () => (await import("../form/ask-passwords.tsx")).AskPasswords);
const SettingEditor = lazyOrFailure(async () => (await import("./setting-editor.tsx")).SettingEditor);

type Props = { name: LinkSettingName; link: Link; onSaved: OnLinkSaved };

/** Shows one setting; edits it in place. */
export function LinkSettingRow({ name, link, onSaved }: Props) {
  const { t } = useLingui();
  const isShare = !isAddress(link.target);
  const { label, does } = useFieldTexts(isShare)[name];
  const textOf = useShownValue();
  const [isEdited, setIsEdited] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setIsEdited(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  if (isEdited) {
    return (
      <div className={classes["edited"]}>
        <Suspense fallback={<Skeleton height={84} />}>
          <SettingEditor name={name} link={link} onClose={close} onSaved={onSaved} />
        </Suspense>
      </div>
    );
  }
  const shown =
    name === "domain" && link.domain === null ? t`The default domain` : textOf(name, shownOf(link, name));
  return (
    <div className={classes["row"]}>
      <div>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {name === "code" ? t`The end of the short URL.` : does}
        </Text>
        {name === "password" && link.password !== null && !isShare && (
          <Suspense fallback={null}>
            <AskPasswords isSet />
          </Suspense>
        )}
      </div>
      <Text size="sm" className={classes["value"]} dir="auto" {...(shown === null && { c: "dimmed" })}>
        {shown ?? <Trans>Not set</Trans>}
      </Text>
      <Button
        ref={opener}
        className={classes["edit"]}
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={t`Edit: ${label}`}
        onClick={() => setIsEdited(true)}
      >
        <Trans>Edit</Trans>
      </Button>
    </div>
  );
}
