// SPDX-License-Identifier: GPL-2.0-or-later
// A small JSON Schema validator for static/openapi.json. It knows the keywords that the document uses, and throws
// on any other, so that nothing stands there unchecked. It also remembers which described keys it ever met.
const annotations = new Set(['description', 'example']);
const typeOf = (v) => (v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v);
const isType = (v, type) => typeOf(v) === type || (type === 'integer' && Number.isInteger(v));
const formats = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ };

// Each gives null, or what is wrong.
const checks = {
	type: (v, t) => ([t].flat().some((x) => isType(v, x)) ? null : `is ${typeOf(v)}, not ${[t].flat().join(' or ')}`),
	enum: (v, list) => (list.includes(v) ? null : `${JSON.stringify(v)} is none of ${list.join(', ')}`),
	pattern: (v, p) => (typeof v !== 'string' || new RegExp(p).test(v) ? null : `${JSON.stringify(v)} does not fit ${p}`),
	format: (v, f) => (typeof v !== 'string' || formats[f].test(v) ? null : `${JSON.stringify(v)} is no ${f}`),
	minimum: (v, n) => (typeof v !== 'number' || v >= n ? null : `${v} is below ${n}`),
	maximum: (v, n) => (typeof v !== 'number' || v <= n ? null : `${v} is above ${n}`),
	minLength: (v, n) => (typeof v !== 'string' || v.length >= n ? null : `is shorter than ${n}`),
	maxLength: (v, n) => (typeof v !== 'string' || v.length <= n ? null : `is longer than ${n}`),
	minItems: (v, n) => (!Array.isArray(v) || v.length >= n ? null : `has fewer than ${n}`),
	maxItems: (v, n) => (!Array.isArray(v) || v.length <= n ? null : `has more than ${n}`),
	required: (v, keys) => {
		const missing = isType(v, 'object') ? keys.filter((k) => !Object.hasOwn(v, k)) : [];
		return missing.length ? `lacks ${missing.join(', ')}` : null;
	},
};
const structure = new Set(['$ref', 'properties', 'patternProperties', 'additionalProperties', 'items', 'anyOf']);

export class Schemas {
	constructor(document) {
		this.document = document;
		this.seen = new Map(); // schema with properties -> the names of those that a value had
	}

	resolve(ref) {
		const found = ref.replace(/^#\//, '').split('/').reduce((at, k) => at?.[k], this.document);
		if (!ref.startsWith('#/') || found === undefined)
			throw new Error(`${ref} leads nowhere`);
		return found;
	}

	// Follows a reference, where there is one.
	open(x) {
		return x.$ref ? this.resolve(x.$ref) : x;
	}

	// Every schema in reach, each once.
	reach(schema, found = new Set()) {
		if (found.has(schema))
			return found;
		found.add(schema);
		for (const k of Object.keys(schema))
			if (!annotations.has(k) && !structure.has(k) && !checks[k])
				throw new Error(`unknown keyword ${k}`);
		const inner = [...Object.values(schema.properties ?? {}), ...Object.values(schema.patternProperties ?? {}), ...(schema.anyOf ?? [])];
		for (const k of ['items', 'additionalProperties'])
			if (typeof schema[k] === 'object')
				inner.push(schema[k]);
		if (schema.$ref)
			inner.push(this.resolve(schema.$ref));
		for (const s of inner)
			this.reach(s, found);
		return found;
	}

	// All that is wrong with a value, as "place: what".
	errors(schema, v, place = '$') {
		const out = [];
		for (const [k, want] of Object.entries(schema)) {
			const wrong = checks[k]?.(v, want);
			if (wrong)
				out.push(`${place}: ${wrong}`);
		}
		if (schema.$ref)
			out.push(...this.errors(this.resolve(schema.$ref), v, place));
		if (schema.anyOf)
			out.push(...this.#anyErrors(schema.anyOf, v, place));
		if (schema.items && Array.isArray(v))
			v.forEach((x, i) => out.push(...this.errors(schema.items, x, `${place}[${i}]`)));
		if (isType(v, 'object'))
			out.push(...this.#memberErrors(schema, v, place));
		return out;
	}

	#anyErrors(list, v, place) {
		const tries = list.map((s) => this.errors(s, v, place));
		return tries.some((t) => !t.length) ? [] : tries.sort((a, b) => a.length - b.length)[0];
	}

	#memberErrors(schema, v, place) {
		const out = [];
		for (const [k, x] of Object.entries(v)) {
			const inner = `${place}.${k}`;
			const byPattern = Object.entries(schema.patternProperties ?? {}).find(([p]) => new RegExp(p).test(k));
			if (schema.properties && Object.hasOwn(schema.properties, k)) {
				if (!this.seen.has(schema))
					this.seen.set(schema, new Set());
				this.seen.get(schema).add(k);
				out.push(...this.errors(schema.properties[k], x, inner));
			} else if (byPattern) {
				out.push(...this.errors(byPattern[1], x, inner));
			} else if (schema.additionalProperties === false) {
				out.push(`${inner}: is not described`);
			} else if (typeof schema.additionalProperties === 'object') {
				out.push(...this.errors(schema.additionalProperties, x, inner));
			}
		}
		return out;
	}

	// Described keys in reach of a schema that no value had, as "title.key".
	unseen(schema) {
		return [...this.reach(schema)].filter((s) => s.properties).flatMap((s) =>
			Object.keys(s.properties).filter((k) => !this.seen.get(s)?.has(k)).map((k) => `${this.nameOf(s)}.${k}`));
	}

	nameOf(schema) {
		const named = Object.entries(this.document.components.schemas).find(([, s]) => s === schema);
		return named ? named[0] : `{${Object.keys(schema.properties ?? {}).join(' ')}}`;
	}
}
