import { useId } from 'react';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { Field } from '../../ui/choices.tsx';

const MOST = 100;
const TAGS = { name: 'tags.list', input: { limit: 1 } } as const;

type RefFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  placeholder?: string;
  error?: string | undefined;
  /** Branches only, no states of them. */
  isBranch?: boolean;
  isRequired?: boolean;
};

/** The name of a state of memory; branches and tags are offered, places and times can be typed. */
export function RefField({ label, value, onChange, hint, placeholder, error, isBranch, isRequired }: RefFieldProps) {
  const id = useId();
  const hasTags = useInstalled([TAGS]).get('tags.list') === true;
  const listed = useOperation('branches.list', { limit: MOST });
  const tags = useOperation('tags.list', { limit: MOST }, { enabled: hasTags && isBranch !== true });
  const names = [
    'main',
    ...(listed.data?.branches.map(({ name }) => name) ?? []),
    ...(isBranch ? [] : (tags.data?.tags.map(({ name }) => `tags/${name}`) ?? [])),
  ];
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={error}>
      {(field) => (
        <>
          <input
            {...field}
            className={`${field.className} mono`}
            list={`${id}-list`}
            value={value}
            placeholder={placeholder}
            required={isRequired}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={`${id}-list`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
