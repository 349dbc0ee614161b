import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Code, Stack } from "@mantine/core";
import { useState } from "react";
import { Disclosure } from "../../ui/disclosure.tsx";
import { UtmFields, type UtmValues } from "./utm-fields.tsx";
import { setUtm, UTM_NAMES, utmIn } from "../../../../src/lib/utm.ts";

type Props = { target: string; onChange(target: string): void };

/** Campaign parameters of the target. They are kept only in the target. */
export function UtmBuilder({ target, onChange }: Props) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const values = Object.fromEntries(
    UTM_NAMES.map((name) => [name, utmIn(target, name)]),
  ) as Required<UtmValues>;
  const given = UTM_NAMES.filter((name) => values[name] !== "").length;
  return (
    <Disclosure
      label={
        given === 0 ? (
          <Trans>Campaign parameters (UTM)</Trans>
        ) : (
          <Plural value={given} one="# campaign parameter (UTM)" other="# campaign parameters (UTM)" />
        )
      }
      isOpen={isOpen}
      onToggle={() => setIsOpen(!isOpen)}
    >
      <Stack gap="xs" pt="xs">
        <UtmFields
          values={values}
          onChange={(changed) =>
            onChange(
              UTM_NAMES.reduce((url, name) => setUtm(url, name, changed[name] ?? utmIn(url, name)), target),
            )
          }
        />
        <Code block fz="xs" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} aria-live="polite">
          {target === "" ? t`The resulting target shows here.` : target}
        </Code>
      </Stack>
    </Disclosure>
  );
}
