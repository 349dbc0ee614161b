import { Trans, useLingui } from "@lingui/react/macro";
import { Button, SimpleGrid, TextInput } from "@mantine/core";
import { UTM_NAMES, type UtmName } from "../../../../src/lib/utm.ts";
import { PresetsButton } from "../../presets/presets-button.tsx";

export type UtmValues = Partial<Record<UtmName, string>>;

const MOST_CHARACTERS = 2_000;

type Props = { values: UtmValues; onChange(changed: UtmValues): void };

/** The parameters of campaigns, and those that are kept as templates. */
export function UtmFields({ values, onChange }: Props) {
  const { t } = useLingui();
  const fields = {
    source: { label: t`Source`, example: "newsletter" },
    medium: { label: t`Medium`, example: "email" },
    campaign: { label: t`Campaign`, example: "spring-sale" },
    term: { label: t`Term`, example: "running shoes" },
    content: { label: t`Content`, example: "header" },
  };
  const given = Object.fromEntries(
    UTM_NAMES.flatMap((name) => (values[name] ? [[name, values[name]] as const] : [])),
  );
  return (
    <>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
        {UTM_NAMES.map((name) => (
          <TextInput
            key={name}
            size="xs"
            label={fields[name].label}
            placeholder={fields[name].example}
            value={values[name] ?? ""}
            onChange={(event) => onChange({ [name]: event.currentTarget.value })}
            autoCapitalize="none"
            maxLength={MOST_CHARACTERS}
          />
        ))}
      </SimpleGrid>
      <div>
        <PresetsButton
          kind="utm"
          content={Object.keys(given).length === 0 ? null : given}
          empty={t`A template keeps campaign parameters under a name. Fill in the fields, then save them here.`}
          onChoose={(chosen) =>
            onChange(Object.fromEntries(UTM_NAMES.map((name) => [name, String(chosen[name] ?? "")])))
          }
          opener={(props) => (
            <Button size="compact-xs" variant="default" {...props}>
              <Trans>Templates</Trans>
            </Button>
          )}
        />
      </div>
    </>
  );
}
