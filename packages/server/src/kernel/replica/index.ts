export { AttachedReplicas } from './attached-replicas.ts';
export type { TakeHanded } from './receive.ts';
export { type HandOver, type PrimaryLink, Replica, type Unnoted } from './replica.ts';
