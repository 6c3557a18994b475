import { readFileSync } from 'node:fs';
import type { ConnectorClass } from './in-process.ts';
import { requireManifest } from './manifest.ts';
import type { Manifest } from './types.ts';

/** A connector of the service itself: its manifest is beside its class. */
export type BuiltIn = { manifest: URL; connector: ConnectorClass };

/** The connectors that come with the service. Nothing else of the server knows their names. */
export const builtIns: readonly BuiltIn[] = [];

export const builtInManifest = ({ manifest }: BuiltIn): Manifest => requireManifest(readFileSync(manifest, 'utf8'));
