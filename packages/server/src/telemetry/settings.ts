export type TelemetrySettings = {
  /** The full address that spans are sent to. */
  url: string;
  headers: Readonly<Record<string, string>>;
  protocol: 'http/protobuf' | 'http/json';
  compression: 'gzip' | 'none';
  timeoutMs: number;
  /** How long spans are collected before they are sent. */
  delayMs: number;
  sampler: Sampler;
  resource: Readonly<Record<string, string>>;
};

/**
 * `ratio`: the share of traces starting here that are exported. `followsParent`: for a trace that began elsewhere, the
 * decision made there applies.
 */
export type Sampler = { ratio: number; followsParent: boolean };

export type TelemetryConfig = {
  /** Undefined: nothing is exported. */
  settings: TelemetrySettings | undefined;
  /** Errors to fix before spans can be exported. */
  problems: string[];
  warnings: string[];
};

type TelemetryEnvironment = Readonly<Record<string, string | undefined>>;

const OFF: TelemetryConfig = { settings: undefined, problems: [], warnings: [] };

/** Reads the variables of OpenTelemetry by its rules. Without an endpoint, all others are ignored. */
export function readTelemetry(env: TelemetryEnvironment, version: string): TelemetryConfig {
  const given = readerOf(env);
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER?.trim() === 'none';
  if (isOff || !(own || base)) return OFF;
  const address = own || `${(base as string).replace(/\/+$/, '')}/v1/traces`;
  const warnings: string[] = [];
  const problems: string[] = [];
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    problems.push(`${name} must be an http or https address`);
  const protocol = given('PROTOCOL') ?? { name: '', text: 'http/protobuf' };
  if (!isProtocol(protocol.text))
    problems.push(`${protocol.name} must be http/protobuf or http/json, not ${protocol.text}`);
  const compression = given('COMPRESSION') ?? { name: '', text: 'none' };
  if (!isCompression(compression.text))
    problems.push(`${compression.name} must be gzip or none, not ${compression.text}`);
  const settings = {
    url: address,
    headers: pairsOf(given('HEADERS')?.text),
    protocol: isProtocol(protocol.text) ? protocol.text : 'http/protobuf',
    compression: isCompression(compression.text) ? compression.text : 'none',
    timeoutMs: millisOf(given('TIMEOUT'), 10_000, warnings),
    delayMs: millisOf(variable(env, 'OTEL_BSP_SCHEDULE_DELAY'), 5_000, warnings),
    sampler: samplerOf(env, warnings),
    resource: resourceOf(env, version),
  } satisfies TelemetrySettings;
  return { settings: problems.length === 0 ? settings : undefined, problems, warnings };
}

type EnvironmentVariable = { name: string; text: string };

function variable(env: TelemetryEnvironment, name: string): EnvironmentVariable | undefined {
  const text = env[name]?.trim();
  return text ? { name, text } : undefined;
}

/** A variable for traces overrides the general one. */
const readerOf = (env: TelemetryEnvironment) => (end: string) =>
  variable(env, `OTEL_EXPORTER_OTLP_TRACES_${end}`) ?? variable(env, `OTEL_EXPORTER_OTLP_${end}`);

const isProtocol = (text: string): text is TelemetrySettings['protocol'] =>
  text === 'http/protobuf' || text === 'http/json';
const isCompression = (text: string): text is TelemetrySettings['compression'] => text === 'gzip' || text === 'none';

/** `a=1,b=2`, with percent-encoded values. */
function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    return at < 0 || name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MAX_MS = 3_600_000;

function millisOf(given: EnvironmentVariable | undefined, fallback: number, warnings: string[]): number {
  if (!given) return fallback;
  const ms = Number(given.text);
  if (/^\d+$/.test(given.text) && ms > 0 && ms <= MAX_MS) return ms;
  warnings.push(`${given.name} must be a number of milliseconds; ${fallback} is taken`);
  return fallback;
}

/** The name of the service is `mem` unless the operator sets one. */
function resourceOf(env: TelemetryEnvironment, version: string): Record<string, string> {
  const given = pairsOf(env.OTEL_RESOURCE_ATTRIBUTES);
  const name = env.OTEL_SERVICE_NAME?.trim() || given['service.name'] || 'mem';
  return { 'service.version': version, ...given, 'service.name': name };
}

const SAMPLERS: Record<string, (ratio: number) => number> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (ratio) => ratio,
};

/** As OpenTelemetry specifies, an unknown sampler causes a warning and the default is used. */
function samplerOf(env: TelemetryEnvironment, warnings: string[]): Sampler {
  const { text } = variable(env, 'OTEL_TRACES_SAMPLER') ?? { text: 'parentbased_always_on' };
  const followsParent = text.startsWith('parentbased_');
  const known = SAMPLERS[text.replace(/^parentbased_/, '')];
  if (!known) warnings.push(`OTEL_TRACES_SAMPLER ${text} is not known; parentbased_always_on is taken`);
  return known ? { ratio: known(ratioOf(env, warnings)), followsParent } : { ratio: 1, followsParent: true };
}

function ratioOf(env: TelemetryEnvironment, warnings: string[]): number {
  const given = variable(env, 'OTEL_TRACES_SAMPLER_ARG');
  const ratio = given ? Number(given.text) : 1;
  if (ratio >= 0 && ratio <= 1) return ratio;
  warnings.push('OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1; 1 is taken');
  return 1;
}
