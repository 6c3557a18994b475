import { Fault } from '@mem-service/contract';
import type { Config, Environment } from './config.ts';
import { variablePrefix } from './config-connectors.ts';
import { builtInManifest } from './connectors/built-in.ts';
import { factsOf } from './connectors/facts.ts';
import { builtIns, connectorsFolder } from './connectors/index.ts';
import { InstallError, installConnector, removeConnector } from './connectors/install/index.ts';
import { writeSkeleton } from './connectors/install/skeleton.ts';
import { type TrialDelivery, type TrialReport, tryConnector } from './connectors/install/trial.ts';
import { findInstalled } from './connectors/installed-connectors.ts';
import { problemsAmong } from './connectors/problems-among.ts';
import type { Manifest } from './connectors/types.ts';

export type { TrialDelivery, TrialReport } from './connectors/install/trial.ts';

/** Where the tools work: relative paths begin in `cwd`. */
export type ToolPlace = { config: Config; env: Environment; cwd: string };

export type InstallReport = {
  name: string;
  version: string;
  /** The version that was there before. */
  replaced: string | null;
  folder: string;
  /** Variables that have to be set before it accepts anything. */
  missing_variables: string[];
};

/** A connector of this machine. One with problems is not loaded by a service. */
export type LocalConnector = {
  name: string;
  version: string | null;
  source: 'built-in' | 'installed';
  secret_set: boolean;
  unsigned: boolean;
  missing_variables: readonly string[];
  problems: readonly string[];
};

const builtInManifests = (): Promise<Manifest[]> => Promise.all(builtIns.map(builtInManifest));

/** What is wrong with a package is the fault of what was given. */
async function explained<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InstallError ? new Fault('invalid_input', error.message) : error;
  }
}

export async function install(given: string, { config, env, cwd }: ToolPlace): Promise<InstallReport> {
  const builtIn = new Set((await builtInManifests()).map(({ name }) => name));
  const place = { folder: connectorsFolder(config.dataDir), builtIn, env, cwd };
  const { manifest, replaced, folder } = await explained(() => installConnector(given, place));
  const { name, version } = manifest;
  const { secrets, missing_variables } = factsOf(manifest, config.connectorVariables);
  const secret = secrets.length > 0 ? [] : [`${variablePrefix(name)}SECRET`];
  return { name, version, replaced: replaced ?? null, folder, missing_variables: [...secret, ...missing_variables] };
}

/** Built-in ones and those of the data folder. */
export async function list({ config }: Pick<ToolPlace, 'config'>): Promise<LocalConnector[]> {
  const own = await builtInManifests();
  const builtIn = new Set(own.map(({ name }) => name));
  const found = findInstalled(connectorsFolder(config.dataDir));
  const names = [...builtIn, ...found.map(({ name }) => name)];
  const described = (manifest: Manifest, rest: Pick<LocalConnector, 'source' | 'problems'>): LocalConnector => {
    const { secrets, unsigned, missing_variables } = factsOf(manifest, config.connectorVariables);
    const { name, version } = manifest;
    return { name, version, secret_set: secrets.length > 0, unsigned, missing_variables, ...rest };
  };
  return [
    ...own.map((manifest) => described(manifest, { source: 'built-in', problems: [] })),
    ...found.map((one): LocalConnector => {
      const source = 'installed';
      if ('manifest' in one)
        return described(one.manifest, { source, problems: problemsAmong(one.manifest, builtIn, names) });
      const unknown = { version: null, secret_set: false, unsigned: false, missing_variables: [] };
      return { name: one.name, ...unknown, source, problems: one.problems };
    }),
  ];
}

export async function remove(name: string, { config }: Pick<ToolPlace, 'config'>): Promise<void> {
  if ((await builtInManifests()).some((one) => one.name === name))
    throw new Fault('invalid_input', `${name} is built in and cannot be removed: without a secret it accepts nothing`);
  const folder = connectorsFolder(config.dataDir);
  if (!removeConnector(name, folder)) throw new Fault('not_found', `no connector ${name} is installed in ${folder}`);
}

/** Returns the new folder. */
export const create = (name: string, { cwd }: Pick<ToolPlace, 'cwd'>): Promise<string> =>
  explained(() => writeSkeleton(name, cwd));

/** Runs a payload through a connector, by its name or folder, and stores nothing. */
export const tryOut = (
  given: string,
  sent: TrialDelivery,
  { config, cwd, onOutput }: ToolPlace & { onOutput: (text: string) => void },
): Promise<TrialReport> =>
  explained(() =>
    tryConnector(given, sent, {
      folder: connectorsFolder(config.dataDir),
      builtIns,
      variables: config.connectorVariables,
      cwd,
      maxValueBytes: config.maxValueBytes,
      onOutput,
    }),
  );
