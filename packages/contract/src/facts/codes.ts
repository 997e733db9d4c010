/** What the specification says about an error code (§7.2). */
export interface CodeFact {
  /** The group's heading. */
  readonly group: string;
  /** The HTTP status; null where none is stated. */
  readonly status: number | null;
}

/** The status of codes for which none is stated. */
const noStatus = 0;

/** The codes of each group by status (§7.2). */
const groups: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "Api keys": {
    401: "api_key_expired api_key_invalid api_key_revoked",
    403: "api_key_insufficient_scope api_key_ip_restricted api_key_not_allowed",
    422: "api_key_limit_reached",
  },
  Authentication: {
    400: `account_header_missing email_already_verified email_verification_code_expired email_verification_code_invalid
      email_verification_code_used mfa_already_enabled mfa_code_invalid mfa_not_enabled mfa_not_setup mfa_token_invalid
      password_current_incorrect password_reset_token_expired password_reset_token_invalid password_reset_token_used
      password_same_as_current phone_already_verified phone_number_missing phone_verification_code_expired
      phone_verification_code_invalid phone_verification_code_used`,
    401: "invalid_credentials refresh_token_invalid token_expired token_invalid token_missing unauthorized",
  },
  Authorization: {
    403: "account_access_denied account_suspended forbidden insufficient_permissions not_invitation_recipient",
  },
  "Business rules": { 422: "business_rule_violation invalid_state_transition unprocessable_entity" },
  Calls: {
    400: `flow_not_published phone_number_cannot_initiate_calls phone_number_not_active phone_number_not_verified
      provider_call_rejected`,
    422: `call_already_completed concurrent_call_limit_exceeded contact_on_dnc_list daily_call_limit_exceeded
      outside_callable_hours`,
  },
  Conflict: {
    409: `cannot_delete_has_dependencies conflict contact_phone_already_exists email_already_exists
      phone_already_exists resource_already_exists`,
  },
  Flows: {
    400: "flow_has_connected_phones flow_structure_invalid flow_version_invalid",
    404: "flow_function_not_found",
    409: "flow_function_name_exists flow_name_already_exists flow_version_conflict",
    502: "flow_generation_failed",
  },
  "Lead-source integrations": {
    409: "lead_source_form_already_mapped lead_source_page_already_connected",
    422: "lead_source_lead_unrecoverable",
    502: "lead_source_api_error",
    503: "lead_source_not_configured",
  },
  "Not found": { 404: "campaign_not_found invitation_not_found not_found resource_not_found schedule_not_found" },
  "Identity-provider linking": {
    400: "cannot_unlink_only_auth invalid_o_auth_state",
    404: "o_auth_not_linked",
    409: "o_auth_already_linked provider_already_connected",
    502: "o_auth_provider_error",
  },
  Organizations: {
    409: "already_organization_member",
    410: "invitation_expired",
    422: "invitation_not_pending organization_suspended",
  },
  Payment: {
    400: "payment_method_card_only",
    402: "feature_not_available insufficient_balance payment_failed payment_required subscription_required",
  },
  Phones: {
    400: `byoc_only phone_number_already_connected phone_number_not_connected phone_provider_not_active
      phone_verification_not_started provider_must_be_sip carrier_credentials_required verification_only_for_sip`,
    409: "phone_already_registered phone_number_in_use",
    422: "cannot_delete_system_provider",
  },
  Promotions: {
    403: "payment_method_required user_phone_not_verified",
    404: "coupon_not_found",
    409: "coupon_already_redeemed promotion_not_eligible trial_already_claimed",
    410: "coupon_not_redeemable",
  },
  "Rate limiting": { 429: "assistant_quota_exceeded queue_full rate_limit_exceeded" },
  Scheduling: {
    400: "invalid_cron_expression invalid_timezone",
    422: "campaign_no_contacts campaign_not_draft schedule_already_paused schedule_not_paused",
  },
  Server: {
    400: "recording_not_available",
    500: "internal_error",
    502: "service_error",
    503: `email_service_unavailable no_bots_available recording_service_not_configured region_saturated
      service_unavailable sms_service_unavailable`,
  },
  Templates: { 400: "template_variable_resolution_failed" },
  Validation: {
    400: `bad_request invalid_id_format invalid_json legal_acceptance_required validation_failed
      verification_code_invalid`,
  },
  "Transfer offers": {
    [noStatus]: "offer_taken offer_taken_self offer_expired already_taken takeover_unsupported unsupported_kind",
  },
};

const words = (text: string): string[] => text.split(/\s+/);

/** Every error code (§7.2). */
export const codes: Readonly<Record<string, CodeFact>> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, byStatus]) =>
    Object.entries(byStatus).flatMap(([status, names]) =>
      words(names).map((code) => [code, { group, status: Number(status) === noStatus ? null : Number(status) }]),
    ),
  ),
);

/** Every field-level code (§7.3). */
export const fieldCodes: readonly string[] = words(
  `above_maximum already_exists already_in_use below_minimum circular_dependency edges_required
  invalid_edge_reference invalid_email_format invalid_format invalid_initial_node invalid_language_code
  invalid_model_id invalid_phone_format mfa_code_invalid_format missing_llm_service missing_main_agent missing_model
  missing_stt_language missing_stt_service missing_tts_service missing_tts_voice_id multiple_main_agents must_be_gte
  nodes_required out_of_range password_too_short password_too_weak phone_not_e164 required too_long too_short
  unknown_node_type version_invalid_format`,
);

/** Codes whose body lists failing fields: §2.6 and §7.1 name the first, a note of §7.2 the second. */
export const codesWithFieldErrors: readonly string[] = ["validation_failed", "flow_structure_invalid"];

/** The sections whose notes state what error codes mean. The meaning of any other code is not stated. */
export const codeNotes: Readonly<Record<string, string>> = {
  api_key_ip_restricted: "§5.3",
  api_key_not_allowed: "§5.3",
  api_key_limit_reached: "§7.2",
  account_header_missing: "§5.2",
  email_verification_code_expired: "§7.2",
  password_reset_token_expired: "§7.2",
  phone_verification_code_expired: "§7.2",
  phone_number_cannot_initiate_calls: "§7.2",
  daily_call_limit_exceeded: "§7.2",
  outside_callable_hours: "§7.2",
  flow_structure_invalid: "§7.2",
  flow_version_invalid: "§7.2",
  flow_version_conflict: "§7.2",
  lead_source_lead_unrecoverable: "§7.2",
  carrier_credentials_required: "§7.2",
  assistant_quota_exceeded: "§7.2",
  queue_full: "§7.2",
  rate_limit_exceeded: "§7.2",
  invalid_cron_expression: "§7.2",
  invalid_timezone: "§7.2",
  invalid_id_format: "§7.2",
  validation_failed: "§7.1",
};

/** The sections whose notes state what field-level codes mean. */
export const fieldCodeNotes: Readonly<Record<string, string>> = {
  mfa_code_invalid_format: "§7.3",
  password_too_short: "§7.3",
  version_invalid_format: "§7.3",
};
