import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Text } from "@mantine/core";
import { Suspense, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { useSaveLink } from "../settings/save-link.tsx";
import classes from "../settings/settings.module.css";

const RulesEditor = lazyOrFailure(async () => (await import("./rules-editor.tsx")).RulesEditor);

/** The rules among the settings of a link. */
export function RulesRow({ link, onSaved }: { link: Link; onSaved: OnLinkSaved }) {
  const { t } = useLingui();
  const [isEdited, setIsEdited] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const count = link.rules?.length ?? 0;
  if (isEdited) {
    return (
      <Edited
        link={link}
        onClose={() => {
          setIsEdited(false);
          requestAnimationFrame(() => opener.current?.focus());
        }}
        onSaved={onSaved}
      />
    );
  }
  return (
    <div className={classes["row"]}>
      <div>
        <Text size="sm" fw={500}>
          <Trans>Rules</Trans>
        </Text>
        <Text size="xs" c="dimmed">
          <Trans>Lead some visitors elsewhere, by device, language, country, time or a percentage.</Trans>
        </Text>
      </div>
      <Text size="sm" className={classes["value"]} {...(count === 0 && { c: "dimmed" })}>
        {count === 0 ? <Trans>Not set</Trans> : <Plural value={count} one="# rule" other="# rules" />}
      </Text>
      <Button
        ref={opener}
        className={classes["edit"]}
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={t`Edit the rules`}
        onClick={() => setIsEdited(true)}
      >
        <Trans>Edit</Trans>
      </Button>
    </div>
  );
}

type EditedProps = { link: Link; onClose(): void; onSaved: OnLinkSaved };

function Edited({ link, onClose, onSaved }: EditedProps) {
  // What others change meanwhile must not look like a change of this form.
  const [seen] = useState(link);
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useSaveLink({
    onSaved(saved, before) {
      close();
      onSaved(saved, before);
    },
    onError: tellIfGone,
  });
  return (
    <div className={classes["edited"]}>
      <Suspense fallback={<Skeleton height={240} />}>
        <RulesEditor
          link={seen}
          error={save.error}
          isSaving={save.isPending}
          onSave={(rules, over = seen) => save.mutate({ patch: { rules }, seen: over })}
          onClose={onClose}
        />
      </Suspense>
    </div>
  );
}
