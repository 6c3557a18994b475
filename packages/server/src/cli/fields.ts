import type { Operation } from '@mem-service/contract';
import type { z } from 'zod';

/**
 * How a field is written on the command line. `value` is any JSON, or else text; `object` is a JSON object; `document`
 * is a list of objects, too large for an argument; `file` is a file name; `secret` is a text that need not be an argument.
 */
export type CommandFieldKind =
  | 'text'
  | 'file'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'list'
  | 'value'
  | 'object'
  | 'document'
  | 'secret';

export type CommandField = {
  name: string;
  /** Without the dashes. */
  flag: string;
  /** Other names of the flag; one of a single letter has one dash. */
  also?: readonly string[];
  kind: CommandFieldKind;
  choices: readonly string[];
  required: boolean;
  description: string | undefined;
  fallback: unknown;
  /** Off by default, and can only be turned on. */
  isSwitch?: boolean;
  /** The word `null` is nothing, and not a text. */
  takesNull?: boolean;
};

/** A field that is not in a schema. */
export function field(flag: string, description: string, rest: Partial<CommandField> = {}): CommandField {
  const name = flag.replaceAll('-', '_');
  return { name, flag, kind: 'text', choices: [], required: false, description, fallback: undefined, ...rest };
}

export const toggle = (flag: string, description: string): CommandField =>
  field(flag, description, { kind: 'boolean', isSwitch: true });

type CommandFieldSchema = z.core.$ZodType;

/** The input fields of an operation, from its schema. */
export function fieldsOf({ input, cli }: Operation): CommandField[] {
  const shape = (input as z.ZodObject).shape as Record<string, CommandFieldSchema>;
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    ...flagsOf(name, cli?.flags?.[name], cli?.letters?.[name]),
    ...(isSecret(schema) ? { kind: 'secret' as const, choices: [] } : withNull(schema, kindOf(schema))),
    required: isRequired(schema),
    description: descriptionOf(schema),
    fallback: defaultOf(schema),
    ...(cli?.current === name ? { required: false, fallback: 'the current branch' } : {}),
    ...(cli?.self === name ? { required: false, fallback: 'that of --agent' } : {}),
  }));
}

function flagsOf(name: string, ...others: (string | undefined)[]): Pick<CommandField, 'flag' | 'also'> {
  const own = name.replaceAll('_', '-');
  const [other, letter] = others;
  const also = [...(other === undefined ? [] : [own]), ...(letter === undefined ? [] : [letter])];
  return { flag: other ?? own, ...(also.length === 0 ? {} : { also }) };
}

/** As they are typed. */
export const flagNames = ({ flag, also = [] }: CommandField): string[] =>
  [flag, ...also].map((name) => (name.length === 1 ? `-${name}` : `--${name}`));

const isSecret = (schema: CommandFieldSchema): boolean => (schema as z.ZodType).meta()?.format === 'password';

/** The schema inside optional, default and similar wrappers. */
function innerOf(schema: CommandFieldSchema): CommandFieldSchema | undefined {
  const { def } = schema._zod;
  if ('innerType' in def) return def.innerType as CommandFieldSchema;
  if (def.type !== 'pipe') return undefined;
  const { in: given, out } = def as z.core.$ZodPipeDef;
  return given._zod.def.type === 'transform' ? out : given;
}

/** A schema that transforms any input looks optional, so its result schema decides. */
function isRequired(schema: CommandFieldSchema): boolean {
  const { def } = schema._zod;
  if (def.type !== 'pipe') return schema._zod.optin === undefined;
  return isRequired(innerOf(schema) as CommandFieldSchema);
}

type FieldValues = Pick<CommandField, 'kind' | 'choices'>;

const SINGLE: readonly CommandFieldKind[] = ['text', 'number', 'choice'];

/** A single value can be null where its schema allows that, unless the text `null` is a value too. */
function withNull(schema: CommandFieldSchema, values: FieldValues): FieldValues & Pick<CommandField, 'takesNull'> {
  const takes = (value: unknown) => (schema as z.ZodType).safeParse(value).success;
  if (!SINGLE.includes(values.kind) || !isNullable(schema) || takes('null')) return values;
  const choices = values.kind === 'choice' ? [...values.choices, 'null'] : values.choices;
  return { ...values, choices, takesNull: true };
}

function isNullable(schema: CommandFieldSchema): boolean {
  const inner = innerOf(schema);
  return schema._zod.def.type === 'nullable' || (inner !== undefined && isNullable(inner));
}

function kindOf(schema: CommandFieldSchema): FieldValues {
  const inner = innerOf(schema);
  if (inner) return kindOf(inner);
  const { def } = schema._zod;
  if (def.type === 'enum')
    return { kind: 'choice', choices: Object.values((def as z.core.$ZodEnumDef).entries).map(String) };
  const kinds: Record<string, CommandFieldKind> = {
    number: 'number',
    boolean: 'boolean',
    unknown: 'value',
    record: 'object',
    object: 'object',
  };
  if (def.type === 'array')
    return { kind: listKind(def as z.core.$ZodArrayDef), choices: namesIn(def as z.core.$ZodArrayDef) };
  return { kind: isEitherObject(schema) ? 'object' : (kinds[def.type] ?? 'text'), choices: [] };
}

/** An object of one shape or another. */
const isEitherObject = ({ _zod: { def } }: CommandFieldSchema): boolean =>
  def.type === 'union' && (def as z.core.$ZodUnionDef).options.every((one) => kindOf(one).kind === 'object');

/** The names of a list's elements, if its schema declares them. The service itself reports wrong ones. */
function namesIn({ element }: z.core.$ZodArrayDef): readonly string[] {
  const { enum: names } = (element as z.ZodType).meta() ?? {};
  return Array.isArray(names) ? names : kindOf(element).choices;
}

const listKind = ({ element }: z.core.$ZodArrayDef): CommandFieldKind =>
  kindOf(element).kind === 'object' ? 'document' : 'list';

/** The description of a list, or else of its elements. */
function descriptionOf(schema: CommandFieldSchema): string | undefined {
  const { def } = schema._zod;
  const inner = def.type === 'array' ? (def as z.core.$ZodArrayDef).element : innerOf(schema);
  return (schema as z.ZodType).description ?? (inner && descriptionOf(inner));
}

function defaultOf(schema: CommandFieldSchema): unknown {
  const { def } = schema._zod;
  if (def.type === 'default') return (def as z.core.$ZodDefaultDef).defaultValue;
  const inner = innerOf(schema);
  return inner && defaultOf(inner);
}
