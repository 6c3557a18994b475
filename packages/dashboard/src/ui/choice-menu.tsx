import type { Choice } from './choices.tsx';
import { Menu } from './menu.tsx';

type ChoiceMenuProps<T extends string> = {
  /** What is chosen, in grey before its value. */
  name: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
};

/** A filter with a few values: looks like a chip, opens a menu. */
export function ChoiceMenu<T extends string>({ name, value, choices, onChange }: ChoiceMenuProps<T>) {
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <Menu
      label={`${name} ${chosen?.label ?? ''}`}
      items={choices.map(({ value: next, label }) => ({
        id: next,
        label,
        ...(next === value ? { icon: 'check' as const } : {}),
        onSelect: () => onChange(next),
      }))}
    >
      <span className="third">{name}</span> {chosen?.label}
    </Menu>
  );
}
