import { useLingui } from "@lingui/react/macro";
import {
  Checkbox,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  TextInput,
} from "@mantine/core";
import type { SettingDefinition } from "../app/api.ts";

type Props = {
  definition: SettingDefinition;
  /** As text, like the API has it. */
  value: string;
  isSecret: boolean;
  onChange(value: string): void;
};

function listOf(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

/** The field that fits the type of a setting. */
export function SettingField({ definition, value, isSecret, onChange }: Props) {
  const { t } = useLingui();
  const { key, value_type: type, enum_options: options } = definition;
  const shared = { "aria-label": key, size: "sm" } as const;
  if (isSecret) {
    return (
      <PasswordInput
        {...shared}
        value={value}
        placeholder={t`A new value`}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const choices = (options ?? []).map((option) => ({ value: option.value, label: option.label }));
  switch (type) {
    case "bool":
      return (
        <Switch
          {...shared}
          checked={value === "true"}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case "enum":
      return (
        <Select
          {...shared}
          allowDeselect={false}
          data={choices}
          value={value}
          onChange={(chosen) => onChange(chosen ?? "")}
        />
      );
    case "enumarray":
      return (
        <Checkbox.Group
          value={listOf(value)}
          onChange={(list) => onChange(JSON.stringify(list))}
          aria-label={key}
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
        <TagsInput
          {...shared}
          value={listOf(value)}
          onChange={(list) => onChange(JSON.stringify(list))}
          acceptValueOnBlur
        />
      );
    case "int":
    case "float":
      return (
        <NumberInput
          {...shared}
          value={value}
          allowDecimal={type === "float"}
          onChange={(number) => onChange(String(number))}
        />
      );
    default:
      return (
        <TextInput {...shared} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      );
  }
}
