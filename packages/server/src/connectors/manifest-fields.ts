import { shapes, suggest } from '@mem-service/contract';
import { compareVersions, isVersion } from './semver.ts';
import { variableProblem } from './variables.ts';
import type { FieldRule, FieldSpec, FieldValue } from './yaml-fields.ts';

export const CONFIG_DEFAULTS = { batch_size: 100, retry_attempts: 3, retry_delay_seconds: 5 };

const ALGORITHMS = ['hmac-sha256', 'hmac-sha1', 'hmac-sha512'];
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const MAX_ITEMS = 1_000;

/** Control characters have no place in a name or a line of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function textOf(maxChars: number, problem: (text: string) => string | undefined = () => undefined): FieldRule<string> {
  return (value) => {
    const { text } = value;
    if (text === undefined) return undefined;
    if (text.trim() === '') return value.fault('must not be empty');
    if (text.length > maxChars) return value.fault(`must have at most ${maxChars} characters`);
    if (CONTROL.test(text)) return value.fault('must not hold control characters');
    const message = problem(text);
    return message === undefined ? text : value.fault(message);
  };
}

const matching = (pattern: RegExp, message: string) => (text: string) => (pattern.test(text) ? undefined : message);

function wholeNumber(min: number, max: number): FieldRule<number> {
  return (value) => {
    const number = value.plain;
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
      ? number
      : value.fault(`must be a whole number from ${min} to ${max}`);
  };
}

const truth: FieldRule<boolean> = (value) =>
  typeof value.plain === 'boolean' ? value.plain : value.fault('must be true or false');

/** Items that are different from each other; `nameOf` is what they are compared by. */
function listOf<T>(rule: FieldRule<T>, nameOf: (item: T) => string): FieldRule<T[]> {
  return (value) => {
    const { items } = value;
    if (!items) return undefined;
    if (items.length > MAX_ITEMS) return value.fault(`must have at most ${MAX_ITEMS} items`);
    const seen = new Set<string>();
    return items.flatMap((item) => {
      const read = rule(item);
      if (read === undefined) return [];
      const name = nameOf(read);
      if (seen.has(name)) item.fault(`is in the list twice: ${JSON.stringify(name)}`);
      seen.add(name);
      return [read];
    });
  };
}

const texts = (rule: FieldRule<string>) => listOf(rule, (text) => text);

const eventTypes: FieldRule<string[]> = (value) => {
  const types = texts(textOf(200, eventTypeProblem))(value);
  return types?.length === 0 && value.items?.length === 0 ? value.fault('must have at least one item') : types;
};

const eventTypeProblem = matching(
  /^[^\s*]+(\.\*)?$|^\*$/,
  'must be one word; alarm.* stands for all that begin with alarm., and * for all',
);

const semver = textOf(128, (text) => (isVersion(text) ? undefined : 'must be a semantic version, such as 1.2.0'));

const minVersion = (version: string) =>
  textOf(128, (text) => {
    if (!isVersion(text)) return 'must be a semantic version, such as 1.2.0';
    return compareVersions(text, version) <= 0
      ? undefined
      : `asks for mem ${text} or newer, and this is mem ${version}`;
  });

const name = textOf(
  64,
  matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must have small letters and digits, with single hyphens between them'),
);

const IDENTIFIER = '[A-Za-z_$][A-Za-z0-9_$]*';
const SEGMENT = '[A-Za-z0-9_][A-Za-z0-9_-]*';
const ENTRY_POINT = new RegExp(`^${SEGMENT}(\\.${SEGMENT})*:${IDENTIFIER}$`);

const algorithm = textOf(64, (text) =>
  ALGORITHMS.includes(text) ? undefined : `must be one of ${ALGORITHMS.join(', ')}${suggest(text, ALGORITHMS)}`,
);

const entityPath = textOf(2_048, (text) => {
  const parsed = shapes.entityPath.safeParse(text);
  return parsed.success ? undefined : (parsed.error.issues[0]?.message ?? 'must be a path');
});

const WEBHOOK: Record<string, FieldSpec> = {
  signature_header: {
    required: true,
    about: 'the header that carries the signature, such as X-Signature',
    rule: textOf(128, matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')),
  },
  signature_algorithm: { required: true, about: `one of ${ALGORITHMS.join(', ')}`, rule: algorithm },
  signature_prefix: {
    about: 'what comes before the signature in the header',
    rule: textOf(64, matching(/^[\x21-\x2b\x2d-\x7e]+$/, 'must have visible characters alone, and no comma')),
  },
  max_payload_bytes: { about: 'the largest body', rule: wholeNumber(1, MAX_PAYLOAD_BYTES) },
};

const CONFIG: Record<string, FieldSpec> = {
  batch_size: { about: 'how many events are transformed together', rule: wholeNumber(1, 1_000) },
  retry_attempts: { about: 'how often a failed event is tried again', rule: wholeNumber(0, 100) },
  retry_delay_seconds: { about: 'the time before a failed event is tried again', rule: wholeNumber(0, 86_400) },
};

const variablesOf = (connector: string | undefined): FieldRule<unknown[]> => {
  const fields: Record<string, FieldSpec> = {
    name: {
      required: true,
      about: 'the name of the variable',
      rule: textOf(200, (text) => (connector === undefined ? undefined : variableProblem(text, connector))),
    },
    description: { required: true, about: 'what the variable is for', rule: textOf(1_000) },
    required: { about: 'whether the connector works without it', rule: truth },
  };
  const variable: FieldRule<Record<string, unknown>> = (value) => {
    const found = value.fields(fields);
    return found?.name === undefined ? undefined : { required: false, ...found };
  };
  return listOf(variable, (found) => String(found.name));
};

const DEPENDENCY = /^(@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(@[0-9A-Za-z^~<>=.*|+ -]+)?$/;

/** The fields of a manifest for a service of this version. `connector` is the name that the file gives, if it does. */
export const manifestFields = (version: string, connector: string | undefined): Record<string, FieldSpec> => ({
  name: { required: true, about: 'small letters, digits and hyphens', rule: name },
  version: { required: true, about: 'a semantic version, such as 1.2.0', rule: semver },
  description: { required: true, about: 'what the connector is for', rule: textOf(1_000) },
  author: { about: 'who made it', rule: textOf(200) },
  license: {
    about: 'an SPDX identifier',
    rule: textOf(
      100,
      matching(/^[A-Za-z0-9][A-Za-z0-9.+-]*$/, 'must be an SPDX identifier, such as MIT or Apache-2.0'),
    ),
  },
  entry_point: {
    required: true,
    about: 'module.path:ClassName of the class that transforms events',
    rule: textOf(256, matching(ENTRY_POINT, 'must be module.path:ClassName, such as transform:AcmeConnector')),
  },
  webhook: { required: true, about: 'how deliveries are signed', rule: (value) => value.fields(WEBHOOK) },
  default_entity_path: { required: true, about: 'the path of what names no other', rule: entityPath },
  event_types: { required: true, about: 'the types of events that are transformed', rule: eventTypes },
  env_vars: { about: 'variables of the operator', rule: variablesOf(connector) },
  min_amfs_version: { about: 'the oldest service that it works with', rule: minVersion(version) },
  dependencies: {
    about: 'packages that it needs',
    rule: texts(
      textOf(256, matching(DEPENDENCY, 'must be a package of the npm registry, such as dayjs or dayjs@^1.11.0')),
    ),
  },
  config: {
    about: 'defaults of the connector',
    rule: (value) => value.fields(CONFIG, (other: FieldValue) => other.plain),
  },
});
