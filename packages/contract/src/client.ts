// What a client needs to call the service: everything here works without the schemas.
export { faultCodes } from './faults.ts';
export { JsonText, stringify } from './json-text.ts';
export { spanning } from './operation.ts';
export type { NameShape, Route, RouteAddress } from './route.ts';
export { routes } from './routes.ts';
