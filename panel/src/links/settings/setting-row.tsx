import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Skeleton, Text } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { type ReactNode, Suspense, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { lazyOrFailure, lazyPart } from "../../base/lazy.ts";
import { useFieldTexts } from "../form/field-texts.ts";
import { type LinkSettingName, shownOf } from "../form/link-values.ts";
import { useShownValue } from "../form/shown-value.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import sentences from "../rules/rules.module.css";
import { isAddress } from "../../ui/lists/target-use.tsx";
import { PersonName } from "../../ui/person-name.tsx";
import classes from "./settings.module.css";

const AskPasswords = lazyPart(async () => (await import("../form/ask-passwords.tsx")).AskPasswords);
const SettingEditor = lazyOrFailure(async () => (await import("./setting-editor.tsx")).SettingEditor);

type Props = {
  name: LinkSettingName;
  link: Link;
  onSaved: OnLinkSaved;
  /** A sentence instead of name and value. */
  children?: ReactNode;
};

/** Shows one setting; edits it in place. */
export function LinkSettingRow({ name, link, onSaved, children }: Props) {
  const { t } = useLingui();
  const isShare = !isAddress(link.target);
  const { label } = useFieldTexts(isShare)[name];
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
  const pencil = (
    <ActionIcon
      ref={opener}
      data-setting={name}
      className={classes["edit"]!}
      variant="subtle"
      color="gray"
      aria-label={t`Edit: ${label}`}
      onClick={() => setIsEdited(true)}
    >
      <IconPencil size={16} />
    </ActionIcon>
  );
  if (children !== undefined) {
    return (
      <div className={`${sentences["sentence"]} ${classes["spoken"]}`}>
        <span className={sentences["line"]}>{children}</span>
        {pencil}
      </div>
    );
  }
  const usual = new URL(link.short_url).host;
  const shown =
    name === "domain" && link.domain === null ? t`${usual} (default)` : textOf(name, shownOf(link, name));
  return (
    <div className={classes["row"]}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={classes["value"]}>
        <Text
          size="sm"
          dir="auto"
          {...(name === "domain" && { className: classes["host"]! })}
          {...(shown === null && { c: "dimmed" })}
        >
          {shown === null ? <Trans>Not set</Trans> : name === "owner" ? <PersonName of={shown} /> : shown}
        </Text>
        {name === "password" && link.password !== null && !isShare && (
          <Suspense fallback={null}>
            <AskPasswords isSet />
          </Suspense>
        )}
      </div>
      {pencil}
    </div>
  );
}
