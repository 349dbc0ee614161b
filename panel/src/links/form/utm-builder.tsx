import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Code, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Disclosure } from "../../ui/disclosure.tsx";
import { UTM, utmIn, withUtm } from "./utm.ts";

type Props = { target: string; onChange(target: string): void };

/** Campaign parameters of the target. They are kept only in the target. */
export function UtmBuilder({ target, onChange }: Props) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const given = UTM.filter((name) => utmIn(target, name) !== "").length;
  const fields = {
    source: { label: t`Source`, example: "newsletter" },
    medium: { label: t`Medium`, example: "email" },
    campaign: { label: t`Campaign`, example: "spring-sale" },
    term: { label: t`Term`, example: "running shoes" },
    content: { label: t`Content`, example: "header" },
  };
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
        <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
          {UTM.map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={fields[name].label}
              placeholder={fields[name].example}
              value={utmIn(target, name)}
              onChange={(event) => onChange(withUtm(target, name, event.currentTarget.value))}
              autoCapitalize="none"
              maxLength={2000}
            />
          ))}
        </SimpleGrid>
        <Code block fz="xs" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} aria-live="polite">
          {target === "" ? t`The resulting target shows here.` : target}
        </Code>
      </Stack>
    </Disclosure>
  );
}
