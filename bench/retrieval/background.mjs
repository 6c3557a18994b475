// Memories that no question asks for: what agents note of the services they work on. Answers have to be found among them.

/** Name, purpose, team, language, store, what it depends on. */
const SERVICES = [
  ['address-book', 'keeps delivery addresses', 'accounts', 'Go', 'PostgreSQL', 'geo-lookup'],
  ['ad-bidder', 'bids for advertising space', 'growth', 'Rust', 'Redis', 'audience-segments'],
  ['audience-segments', 'computes groups of customers', 'growth', 'Python', 'ClickHouse', 'event-collector'],
  ['avatar-resizer', 'scales profile pictures', 'accounts', 'Go', 'S3', 'media-store'],
  ['banner-editor', 'lets marketing place banners', 'growth', 'TypeScript', 'PostgreSQL', 'media-store'],
  ['barcode-printer', 'prints labels for shelves', 'logistics', 'C#', 'SQL Server', 'stock-ledger'],
  ['brand-pages', 'serves the pages of brands', 'catalogue', 'TypeScript', 'PostgreSQL', 'product-api'],
  ['calendar-sync', 'shows delivery slots in calendars', 'logistics', 'Kotlin', 'PostgreSQL', 'slot-planner'],
  ['chat-router', 'assigns chats to agents', 'support', 'Elixir', 'PostgreSQL', 'presence'],
  ['click-tracker', 'counts clicks of affiliates', 'growth', 'Go', 'Kafka', 'event-collector'],
  ['courier-map', 'shows couriers on a map', 'logistics', 'TypeScript', 'PostGIS', 'geo-lookup'],
  ['credit-scorer', 'rates buyers on account', 'payments', 'Python', 'PostgreSQL', 'bureau-proxy'],
  ['bureau-proxy', 'talks to credit bureaus', 'payments', 'Java', 'Oracle', 'secrets-broker'],
  ['event-collector', 'receives events from browsers', 'data', 'Rust', 'Kafka', 'schema-guard'],
  ['export-desk', 'builds files for accountants', 'finance', 'Python', 'S3', 'ledger'],
  ['feature-switch', 'serves flags to all programs', 'platform', 'Go', 'etcd', 'presence'],
  ['fraud-rules', 'stops suspicious orders', 'payments', 'Scala', 'Cassandra', 'credit-scorer'],
  ['geo-lookup', 'turns addresses into coordinates', 'platform', 'Rust', 'PostGIS', 'media-store'],
  ['gift-cards', 'issues and redeems vouchers', 'payments', 'Kotlin', 'PostgreSQL', 'ledger'],
  ['image-search', 'finds products by photo', 'catalogue', 'Python', 'Milvus', 'media-store'],
  ['ledger', 'books every movement of money', 'finance', 'Java', 'PostgreSQL', 'secrets-broker'],
  ['loyalty', 'counts points of members', 'growth', 'Ruby', 'MySQL', 'order-history'],
  ['media-store', 'stores pictures and videos', 'platform', 'Go', 'S3', 'secrets-broker'],
  ['order-history', 'shows past orders', 'accounts', 'Kotlin', 'Cassandra', 'ledger'],
  ['presence', 'knows who is online', 'platform', 'Elixir', 'Redis', 'feature-switch'],
  ['price-watcher', 'compares prices of rivals', 'catalogue', 'Python', 'MongoDB', 'product-api'],
  ['product-api', 'serves product data', 'catalogue', 'Java', 'MySQL', 'media-store'],
  ['question-board', 'hosts questions about products', 'support', 'Ruby', 'PostgreSQL', 'spam-filter'],
  ['returns-portal', 'prints return labels', 'logistics', 'TypeScript', 'PostgreSQL', 'order-history'],
  ['schema-guard', 'checks formats of events', 'data', 'Go', 'PostgreSQL', 'feature-switch'],
  ['secrets-broker', 'hands out short-lived secrets', 'platform', 'Rust', 'Vault', 'presence'],
  ['slot-planner', 'plans delivery windows', 'logistics', 'Scala', 'PostgreSQL', 'courier-map'],
  ['spam-filter', 'rejects unwanted texts', 'support', 'Python', 'Redis', 'feature-switch'],
  ['stock-ledger', 'counts goods in all halls', 'logistics', 'C#', 'SQL Server', 'schema-guard'],
  ['store-locator', 'finds shops nearby', 'catalogue', 'TypeScript', 'PostGIS', 'geo-lookup'],
  ['wish-list', 'keeps products for later', 'accounts', 'Ruby', 'MySQL', 'product-api'],
].map(([name, purpose, team, language, store, needs]) => ({ name, purpose, team, language, store, needs }));

const NAMES =
  'Aiko Bruno Chidi Elif Farid Greta Hana Ines Jonas Kofi Lena Milan Noor Otto Pia Quentin Rosa Tomas'.split(' ');
const DAYS = 'Monday Tuesday Wednesday Thursday Friday'.split(' ');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const REGIONS = ['eu-west-1', 'eu-north-1', 'us-east-2', 'ap-south-1'];

/** Picks one of a list, always the same for the same service and kind. */
const pick = (list, seed) => list[seed % list.length];

/** For each kind of memory a key, and a text made from a service and a number. */
const KINDS = {
  purpose: (s) => `${s.name} ${s.purpose}; it is written in ${s.language} and belongs to the ${s.team} team.`,
  storage: (s, n) => `${s.name} keeps its state in ${s.store}, about ${3 + (n % 90)} GB, with ${1 + (n % 3)} replicas.`,
  port: (s, n) => `${s.name} listens on port ${7000 + (n % 900)}; metrics are on ${9000 + (n % 900)}.`,
  lead: (s, n) => `${pick(NAMES, n)} knows ${s.name} best, ${pick(NAMES, n + 7)} is the deputy.`,
  window: (s, n) => `${s.name} is deployed on ${pick(DAYS, n)} mornings only, since support is fully staffed then.`,
  replicas: (s, n) =>
    `${s.name} runs ${2 + (n % 9)} replicas in ${pick(REGIONS, n)} and scales to ${12 + (n % 20)} under load.`,
  needs: (s) => `If ${s.needs} is unavailable, ${s.name} answers from its last known data and marks it as stale.`,
  latency: (s, n) =>
    `The p95 of ${s.name} was ${20 + (n % 200)} ms in ${pick(MONTHS, n)}; its target is ${60 + (n % 300)} ms.`,
  crash: (s, n) =>
    pick(
      [
        `${s.name} crashed at start after the ${s.store} driver was updated; pinned it to the version before.`,
        `${s.name} ran out of file descriptors on ${1 + (n % 28)} ${pick(MONTHS, n)}; the limit is 65,536 now.`,
        `A thread of ${s.name} waited for itself when the configuration was reloaded twice within a second.`,
        `${s.name} returned empty lists for an hour because a null in ${s.needs} was read as the end.`,
      ],
      n,
    ),
  migration: (s, n) =>
    `Migration ${100 + (n % 300)} of ${s.name} adds an index concurrently and takes ${5 + (n % 50)} minutes on the real data.`,
  secret: (s, n) =>
    `The password of ${s.name} for ${s.store} is rotated on day ${1 + (n % 27)} of each month by secrets-broker.`,
  dashboard: (s, n) =>
    `The dashboard of ${s.name} is number ${200 + (n % 700)} in Grafana; the panel on the top left is the one to look at.`,
  preference: (s, n) =>
    pick(
      [
        `${pick(NAMES, n)} wants commits of ${s.name} squashed before review.`,
        `${pick(NAMES, n)} asked for diagrams in Mermaid in the documents of ${s.name}.`,
        `${pick(NAMES, n)} would rather be asked twice than have ${s.name} changed without a word.`,
        `For ${s.name} ${pick(NAMES, n)} likes tables more than long explanations.`,
      ],
      n,
    ),
  test: (s, n) =>
    `The tests of ${s.name} need a running ${s.store}; make ${s.name}-deps starts one, and they take ${2 + (n % 14)} minutes.`,
  format: (s, n) =>
    `${s.name} sends dates as ${pick(['ISO 8601', 'Unix seconds', 'Unix milliseconds', 'RFC 2822'], n)}, which ${s.needs} does not expect.`,
  decision: (s, n) =>
    pick(
      [
        `Decided to leave ${s.name} in ${s.language}; a rewrite would take the ${s.team} team two quarters.`,
        `Chose ${s.store} for ${s.name} because the ${s.team} team already operates it.`,
        `${s.name} gets no public interface; partners use exports instead.`,
        `${s.name} will be merged with ${s.needs} when the ${s.team} team has hired two people.`,
      ],
      n,
    ),
  tried: (s, n) =>
    pick(
      [
        `Tried compression between ${s.name} and ${s.needs}: less traffic, more processor time, no gain in the end.`,
        `Tried larger batches in ${s.name}: ${200 + (n % 800)} rows at once were best, more than that filled the buffers.`,
        `Tried to run ${s.name} on arm: ${s.language} builds, but one library has no binary for it.`,
        `Tried a read replica for ${s.name}; the lag of ${2 + (n % 9)} seconds confused the people who use it.`,
      ],
      n,
    ),
  backup: (s, n) =>
    `Backups of ${s.name} are taken at 0${n % 6}:${10 + (n % 49)} and were last restored as a drill in ${pick(MONTHS, n + 5)}.`,
  procedure: (s, n) =>
    pick(
      [
        `To empty ${s.name} safely: stop the writers, wait for the counter pending to be zero, then truncate.`,
        `To add a language to ${s.name}: copy the file en.yaml, translate, and ask the ${s.team} team for a release.`,
        `To debug ${s.name} set its log level to trace for one pod, for ${5 + (n % 20)} minutes at most.`,
        `To give somebody access to ${s.name} add them to the group ${s.name}-users; it takes an hour to work.`,
      ],
      n,
    ),
  warning: (s, n) =>
    pick(
      [
        `Do not rename the queue of ${s.name}: two old jobs have the name written into them.`,
        `Do not call ${s.name} from a loop; ask for up to ${50 + (n % 150)} ids in one request.`,
        `Do not trust the field updated_at of ${s.name}, it changes when caches are filled.`,
        `Do not run the seed script of ${s.name} against staging, it removes the demo users.`,
      ],
      n,
    ),
  cost: (s, n) => `${s.name} costs about ${40 + (n % 2000)} euros a month, most of it for ${s.store}.`,
  ticket: (s, n) =>
    `Open work on ${s.name}: ${s.team.toUpperCase()}-${100 + (n % 899)}, remove the old endpoint after ${pick(MONTHS, n + 3)}.`,
  timezone: (s, n) =>
    `The nightly job of ${s.name} starts at ${20 + (n % 4)}:${10 + (n % 45)} Berlin time and must not overlap with that of ${s.needs}.`,
  version: (s, n) => `${s.name} is at version ${1 + (n % 7)}.${n % 24}.${n % 5}; the one before cannot read its files.`,
};

export function backgroundMemories() {
  return SERVICES.flatMap((service, serviceAt) =>
    Object.entries(KINDS).map(([kind, textOf], kindAt) => ({
      entity_path: `services/${service.team}/${service.name}`,
      key: kind,
      value: textOf(service, 17 * serviceAt + 29 * kindAt + ((serviceAt * kindAt) % 13)),
      session: `${service.name}-${Math.floor(kindAt / 4)}`,
    })),
  );
}
