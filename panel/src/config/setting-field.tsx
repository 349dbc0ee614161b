import {
  Autocomplete,
  type AutocompleteProps,
  Checkbox,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { useRoleNames } from "../auth/users/role-names.ts";
import { DOCUMENTS, DocumentsSetting } from "./documents-setting.tsx";
import { LOGO, LogoField } from "./logo-field.tsx";
import { ListField } from "./list-field.tsx";
import { SecretField } from "./secret-field.tsx";
import type { SettingFaults } from "./setting-drafts.ts";
import type { ShownSetting } from "./setting-queries.ts";
import { timeZones } from "../ui/forms/time-zones.ts";
import { longUnit, separators } from "./setting-numbers.ts";
import { useUnitNames } from "./words/setting-texts.ts";
import { wordsOf } from "./words/setting-words.ts";

type Props = {
  shown: ShownSetting;
  /** As text, like the API has it. */
  value: string | null;
  faults: SettingFaults;
  onChange(value: string | null): void;
  /** The field loses the focus: check it. */
  onLeave(): void;
};

/** Not grouped by thousands. */
const PORT = "mail.port";

const ZONE = "analytics.time_zone";
const MOST_ZONES = 50;

function listOf(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

function ZoneField(props: AutocompleteProps) {
  const [zones] = useState(() => timeZones());
  return <Autocomplete {...props} data={zones} limit={MOST_ZONES} />;
}

/** The field that fits the type of a setting. */
export function SettingField({ shown, value, faults, onChange, onLeave }: Props) {
  const [units, roles] = [useUnitNames(), useRoleNames()];
  const words = wordsOf(shown.definition);
  const { key, value_type: type, enum_options: options, unit, minimum, maximum } = shown.definition;
  const error = faults[key];
  if (shown.setting.is_sensitive) {
    return <SecretField shown={shown} value={value} error={error} onChange={onChange} />;
  }
  const text = value ?? "";
  const label = `${words.name}, ${key}`;
  if (key === LOGO) return <LogoField label={label} value={text} error={error} onChange={onChange} />;
  if (key === DOCUMENTS) {
    return (
      <DocumentsSetting label={label} value={text} error={error} onChange={onChange} onLeave={onLeave} />
    );
  }
  const about = { "aria-label": label, "aria-description": words.description };
  const shared = { ...about, size: "sm", error, onBlur: onLeave } as const;
  if (key === ZONE) return <ZoneField {...shared} value={text} onChange={onChange} />;
  const choices = (options ?? []).map(({ value: option, label: own }) => ({
    value: option,
    label: roles[option as keyof typeof roles] ?? words.optionOf(option)?.replace(/[.。]$/, "") ?? own,
  }));
  switch (type) {
    case "bool":
      return (
        <Switch
          {...shared}
          checked={text === "true"}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case "enum":
      return (
        <Select
          {...shared}
          allowDeselect={false}
          lang={words.lang}
          data={choices}
          value={text}
          onChange={(chosen) => onChange(chosen ?? "")}
        />
      );
    case "enumarray":
      return (
        <Checkbox.Group
          value={listOf(text)}
          onChange={(list) => onChange(JSON.stringify(list))}
          {...about}
          error={error}
        >
          <Group gap="sm">
            {choices.map((choice) => (
              <Checkbox key={choice.value} {...choice} />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case "stringarray":
      return (
        <Stack gap={4}>
          <ListField
            label={label}
            values={listOf(text)}
            onChange={(list) => onChange(JSON.stringify(list))}
            onLeave={onLeave}
            faultOf={(item) => faults[`${key}.${item}`]}
          />
          {error !== undefined && (
            <Text size="xs" c="var(--mantine-color-error)">
              {error}
            </Text>
          )}
        </Stack>
      );
    case "int":
    case "float":
      return (
        <NumberInput
          {...shared}
          {...(type === "int" && key !== PORT && separators())}
          value={text}
          {...(unit === "seconds" && {
            description: longUnit(Number(text)),
            inputWrapperOrder: ["input", "description", "error"],
          })}
          allowDecimal={type === "float"}
          clampBehavior="none"
          {...(minimum !== null && { min: minimum })}
          {...(maximum !== null && { max: maximum })}
          {...(unit !== null && { suffix: ` ${units[unit]}` })}
          onChange={(number) => onChange(String(number))}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          value={text}
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
