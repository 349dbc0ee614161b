import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { ApiError, type Link } from "../../base/api.ts";
import { DraftNotice } from "../../ui/forms/draft-notice.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { useOpenEditor } from "../../ui/keys/page-keys.ts";
import { submitByKey } from "../../ui/keys/submit-key.ts";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { ChangedNotice } from "../form/changed-elsewhere.tsx";
import { CodeField, useAvailability } from "../form/code-field.tsx";
import { useFieldTexts } from "../form/field-texts.ts";
import { focusFirstError } from "../../ui/forms/focus-error.ts";
import { LinkField, type LinkFieldProps } from "../form/link-field.tsx";
import { useLinkDraft } from "../form/link-draft.ts";
import { linkErrorsOf, linkPatchOf, type LinkFieldName, type LinkSettingName } from "../form/link-values.ts";
import { UtmBuilder } from "../form/utm-builder.tsx";
import type { OnLinkSaved } from "../link-queries.ts";
import { useSaveLink } from "../save-link.tsx";
import classes from "./settings.module.css";

type Props = { name: LinkSettingName; link: Link; onClose(): void; onSaved: OnLinkSaved };

/** One field with Save and Cancel; Enter and Escape do the same. */
export function SettingEditor({ name, link: current, onClose, onSaved }: Props) {
  // What others change meanwhile must not look like a change of this form.
  const [link] = useState(current);
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { label } = useFieldTexts()[name];
  const form = useRef<HTMLFormElement>(null);
  const { values, change, isRestored, discard, forget } = useLinkDraft(link, name);
  const [errors, setErrors] = useState<Partial<Record<LinkFieldName, string>>>({});
  const availability = useAvailability(values, { code: link.code, domain: link.domain ?? "" });
  const isMoved = values.code.trim() !== link.code || values.domain !== (link.domain ?? "");
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useSaveLink({
    onSaved(saved, before) {
      forget();
      close();
      return onSaved(saved, before);
    },
    onError(error) {
      tellIfGone(error);
      setErrors(error instanceof ApiError ? linkErrorsOf(error) : {});
      focusFirstError(form);
    },
  });
  useOpenEditor(onClose);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select");
    first?.focus();
    // Typing replaces it.
    if (first instanceof HTMLInputElement && first.type === "text") first.select();
  }, []);
  const set: LinkFieldProps["set"] = (field, value) => {
    setErrors((now) => ({ ...now, [field]: undefined }));
    change({ ...values, [field]: value });
  };
  const fieldOf = (field: LinkFieldProps["name"]) => (
    <LinkField name={field} values={values} set={set} error={errors[field]} link={link} />
  );
  return (
    <form
      ref={form}
      className={classes["form"]}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (availability.refusal !== null) focusFirstError(form);
        else save.mutate({ patch: linkPatchOf(values, link), seen: link });
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) {
          // No other editor closes too.
          event.preventDefault();
          onClose();
        }
        submitByKey(event);
      }}
    >
      <Stack gap="xs">
        {isRestored && <DraftNotice isOfExisting onDiscard={discard} />}
        {name === "code" ? (
          <CodeField
            label={label}
            description={t`The end of the short URL.`}
            value={values.code}
            onChange={(code) => set("code", code)}
            error={errors.code}
            availability={availability}
          />
        ) : (
          fieldOf(name)
        )}
        {name === "target" && (
          <UtmBuilder target={values.target} onChange={(target) => set("target", target)} />
        )}
        {(name === "code" || name === "domain") && isMoved && fieldOf("keep_old")}
        {name === "password" && link.password !== null && fieldOf("removes_password")}
        <ChangedNotice
          error={save.error}
          onMine={(seen) => save.mutate({ patch: linkPatchOf(values, link), seen })}
          onTheirs={() => {
            forget();
            onClose();
          }}
        />
        {save.error instanceof ApiError && !Object.values(errors).some(Boolean) && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {sentenceOf(save.error)}
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={save.isPending}>
            <Trans>Save</Trans>
          </Button>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
