import { Fault } from '@mem-service/contract';
import type { ConnectorHost, LoadedConnector } from '../../connectors/types.ts';
import type { Services } from '../../kernel/index.ts';

const hosts = new WeakMap<Services, ConnectorHost>();
const NONE: ReadonlyMap<string, LoadedConnector> = new Map();

/** Lets a service receive what these connectors understand. */
export function useConnectors(services: Services, host: ConnectorHost): void {
  hosts.set(services, host);
}

/** The connectors of a service, by name. */
export const connectorsOf = (services: Services): ReadonlyMap<string, LoadedConnector> =>
  hosts.get(services)?.connectors ?? NONE;

export function connectorOf(services: Services, name: string): LoadedConnector {
  const connector = connectorsOf(services).get(name);
  if (!connector) throw new Fault('connector_not_found', `there is no connector ${name}`, { connector: name });
  return connector;
}

/** Refuses where a variable is missing that the connector cannot do without. */
export function checkConfigured({ manifest, missing_variables }: LoadedConnector): void {
  const { name } = manifest;
  if (missing_variables.length > 0)
    throw new Fault('connector_not_configured', `the connector ${name} needs ${missing_variables.join(', ')}`, {
      connector: name,
      missing_variables,
    });
}
