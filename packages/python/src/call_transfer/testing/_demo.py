# Recorded from packages/backend/src/data/demo-seed.ts by `npm run record`.
# ruff: noqa: N801, S105
"""The demo data of the mock server."""

from __future__ import annotations

from typing import Final


class demo:
    """IDs, numbers and credentials of the demo data."""

    account_id: Final = "a0000000-0000-4000-8000-000000000001"
    foreign_account_id: Final = "a0000000-0000-4000-8000-000000000002"
    suspended_account_id: Final = "a0000000-0000-4000-8000-000000000003"
    api_key: Final = "svc_live_demo0000000000000000000000000001"
    foreign_api_key: Final = "svc_live_demo0000000000000000000000000002"

    class users:
        """IDs of users."""

        owner: Final = "b0000000-0000-4000-8000-000000000001"
        admin: Final = "b0000000-0000-4000-8000-000000000002"
        member: Final = "b0000000-0000-4000-8000-000000000003"
        agent: Final = "b0000000-0000-4000-8000-000000000004"
        both: Final = "b0000000-0000-4000-8000-000000000005"
        outsider: Final = "b0000000-0000-4000-8000-000000000006"

    class members:
        """IDs of members."""

        owner: Final = "c0000000-0000-4000-8000-000000000001"
        admin: Final = "c0000000-0000-4000-8000-000000000002"
        member: Final = "c0000000-0000-4000-8000-000000000003"
        agent: Final = "c0000000-0000-4000-8000-000000000004"
        both: Final = "c0000000-0000-4000-8000-000000000005"
        foreign: Final = "c0000000-0000-4000-8000-000000000006"
        suspended: Final = "c0000000-0000-4000-8000-000000000007"

    class destinations:
        """IDs of destinations."""

        phone: Final = "d0000000-0000-4000-8000-000000000001"
        available_humans: Final = "d0000000-0000-4000-8000-000000000002"
        app: Final = "d0000000-0000-4000-8000-000000000003"
        disabled: Final = "d0000000-0000-4000-8000-000000000004"
        foreign: Final = "d0000000-0000-4000-8000-000000000005"
        extra: Final = (
            "d0000000-0000-4000-8000-000000000100",
            "d0000000-0000-4000-8000-000000000101",
            "d0000000-0000-4000-8000-000000000102",
            "d0000000-0000-4000-8000-000000000103",
            "d0000000-0000-4000-8000-000000000104",
            "d0000000-0000-4000-8000-000000000105",
            "d0000000-0000-4000-8000-000000000106",
            "d0000000-0000-4000-8000-000000000107",
            "d0000000-0000-4000-8000-000000000108",
            "d0000000-0000-4000-8000-000000000109",
        )

    signing_secret: Final = "demo-signing-secret-of-the-front-desk-app"

    class groups:
        """IDs of groups."""

        existing: Final = "e0000000-0000-4000-8000-000000000001"

    group_name: Final = "Night shift"

    class flows:
        """IDs of flows."""

        published: Final = "f0000000-0000-4000-8000-000000000001"
        draft: Final = "f0000000-0000-4000-8000-000000000002"
        foreign: Final = "f0000000-0000-4000-8000-000000000003"

    class providers:
        """IDs of providers."""

        working: Final = "f1000000-0000-4000-8000-000000000001"
        rejecting: Final = "f1000000-0000-4000-8000-000000000002"

    class numbers:
        """IDs of numbers."""

        working: Final = "+15550100001"
        inactive: Final = "+15550100002"
        unverified: Final = "+15550100003"
        receive_only: Final = "+15550100004"
        rejected: Final = "+15550100005"
        foreign: Final = "+15550100006"

    class recipients:
        """IDs of recipients."""

        anyone: Final = "+15550200001"
        do_not_call: Final = "+15550200002"
        elsewhere: Final = "+15550200003"

    class calls:
        """IDs of calls."""

        completed: Final = "ca000000-0000-4000-8000-000000000001"
        failed: Final = "ca000000-0000-4000-8000-000000000002"
        inbound: Final = "ca000000-0000-4000-8000-000000000003"
        foreign: Final = "ca000000-0000-4000-8000-000000000004"
